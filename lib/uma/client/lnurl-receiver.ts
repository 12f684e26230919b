import { createHash } from 'node:crypto'
import { withParameters } from 'uma-auth-vasp'
import { currencyOf } from '../../money/currencies'
import { divide, toLedgerUnits } from '../../money/ledger-units'
import { epochSeconds } from '../../platform/clock'
import { badInput, remoteFault, type VaspError } from '../../platform/errors'
import type { GuardedAnswer } from '../../platform/net/guarded-fetch'
import { parseJson } from '../../platform/parse-json'
import type { Address } from '../address'
import { isAddressOf, originOf } from '../messages/domains'
import { readPayAnswer } from '../messages/pay-answer'
import { hasLargeMetadata, readPlainLookUp, type PlainLookUp } from '../messages/receiver-message'
import type { UmaPorts } from '../types'
import { checkInvoice, checkSuccessAction } from './check-offer'
import { noSuchReceiver } from './own-receiver'
import { refusedBy, shownReason } from './remote-refusal'
import { fetchRemote, invalidRemoteResponse, MAX_LOOKUP_BYTES, refusalForLog, tooLarge } from './remote-vasp'
import { lowerFirst } from './request-invoice'
import { requireUma } from './require-uma'
import type { InvoiceOffer, InvoiceRequest, Receiver } from './types'

const MSATS_PER_SAT = toLedgerUnits(1n, 'SAT')

/** A Lightning Address (LUD-16): messages are not signed, and satoshis are the only currency. */
export async function lookUpLnurl(
  ports: UmaPorts,
  username: string,
  address: Address,
): Promise<Omit<Receiver, 'rates'>> {
  const { domain } = address
  const url = `${originOf(ports.settings, domain)}/.well-known/lnurlp/${encodeURIComponent(address.username)}`
  const answered = await fetchRemote(requireUma(ports).fetch, domain, url, {
    owner: { userId: username },
    maxBytes: MAX_LOOKUP_BYTES,
  })
  const json = parseJson(answered.text)
  if (refusalForLog(answered.text).code === 'NON_UMA_LNURL_NOT_SUPPORTED')
    throw remoteFault('refused', `${domain} accepts UMA payments only. Try $${address.text}.`)
  const refusal = refusalIn(domain, answered, json, 'lookup')
  if (hasLargeMetadata(json)) throw tooLarge(domain)
  const found = readPlainLookUp(json)
  if (answered.status === 404 && found === undefined) throw noSuchReceiver(address)
  if (refusal !== undefined) throw refusal
  if (found === undefined && answered.status !== 200) throw refusedBy(domain, answered, 'lookup')
  if (found === undefined || !isAddressOf(ports.settings, found.callback, domain)) throw invalidRemoteResponse(domain)
  const [least, maxMsats] = [BigInt(found.minSendable), BigInt(found.maxSendable)]
  // The result is shown in whole satoshis, so an amount below one satoshi would read as zero.
  const minMsats = least < MSATS_PER_SAT ? MSATS_PER_SAT : least
  const sats = { min: divide(minMsats, MSATS_PER_SAT, 'up'), max: divide(maxMsats, MSATS_PER_SAT, 'down') }
  if (sats.max < sats.min) throw invalidRemoteResponse(domain)
  return {
    address,
    protocol: 'lnurl',
    currencies: [{ ...currencyOf('SAT'), msatsPerUnit: Number(MSATS_PER_SAT), ...sats }],
    minMsats,
    maxMsats,
    commentLength: found.commentAllowed ?? 0,
    requestInvoice: (request) => requestLnurlInvoice(ports, address, found, request),
  }
}

async function requestLnurlInvoice(
  ports: UmaPorts,
  { domain }: Address,
  found: PlainLookUp,
  request: InvoiceRequest,
): Promise<InvoiceOffer> {
  const { lock, comment } = request
  const asked = lock.side === 'sending' ? lock.msats : toLedgerUnits(lock.units, 'SAT')
  const url = withParameters(found.callback, {
    amount: String(asked),
    ...(comment !== undefined && (found.commentAllowed ?? 0) > 0 ? { comment } : {}),
  })
  const owner = { userId: request.username }
  const answered = await fetchRemote(requireUma(ports).fetch, domain, url, { owner })
  const json = parseJson(answered.text)
  const refusal = refusalIn(domain, answered, json, 'payment')
  if (refusal !== undefined) throw refusal
  const answer = readPayAnswer(json)
  if (answer === undefined)
    throw answered.status === 200 ? invalidRemoteResponse(domain) : refusedBy(domain, answered, 'payment')
  const refuse = (reason: string): Error =>
    badInput(`${domain} offered different terms from those requested. The offer was refused: ${reason}.`)
  const here = { node: ports.node.identity, nowSeconds: epochSeconds(ports.clock.now()) }
  const checked = checkInvoice(answer.pr, here)
  if (!checked.ok) throw refuse(lowerFirst(checked.reason))
  const { invoice, amountMsats } = checked
  if (amountMsats !== asked) throw refuse('the invoice is for another amount')
  const shown = checkSuccessAction(answer.successAction, (link) => isAddressOf(ports.settings, link, domain))
  if (!shown.ok) throw refuse(shown.reason)
  // A mismatch costs no money, and many receivers compute the hash incorrectly.
  if (invoice.descriptionHash !== createHash('sha256').update(found.metadata).digest('hex'))
    ports.log.warn({ domain }, 'an invoice does not commit to the metadata of its receiver')
  const receivingUnits = divide(amountMsats, MSATS_PER_SAT, 'down')
  const msatsPerUnit = Number(MSATS_PER_SAT)
  return {
    invoice,
    amountMsats,
    receivingUnits,
    feeMsats: 0n,
    msatsPerUnit,
    successAction: shown.action,
    remoteCallback: null,
  }
}

/**
 * The receiver's refusal, if the answer is one. LUD-01: the body decides, whatever the HTTP status is. Its reason is shown
 * as the receiver's own text.
 */
function refusalIn(
  domain: string,
  answered: GuardedAnswer,
  json: unknown,
  step: 'lookup' | 'payment',
): VaspError | undefined {
  const { status, reason } = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>
  if (typeof status !== 'string' || status.trim().toUpperCase() !== 'ERROR') return undefined
  return refusedBy(domain, answered, step, shownReason(reason))
}
