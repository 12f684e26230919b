import { getPayRequest, KycStatus, PayReqResponse, verifyPayReqResponseSignature } from '@uma-sdk/core'
import { addressOf } from 'uma-auth-vasp'
import { MAX_WIRE_INTEGER, toWireInteger } from '../../money/convert'
import { epochSeconds } from '../../platform/clock'
import { badInput, remoteFault } from '../../platform/errors'
import { parseJson } from '../../platform/parse-json'
import type { Address } from '../address'
import { findPayableUser } from '../find-payable-user'
import { encryptFor } from '../keys/ecies'
import { NO_NONCES, verifySignature } from '../keys/verify-message'
import { isAddressOf, ownAddressOf } from '../messages/domains'
import { readMultiplier, unitsWorth, type Multiplier } from '../messages/multiplier'
import { readPayAnswer, type PayAnswer } from '../messages/pay-answer'
import type { Nonce } from '../nonces'
import type { PublicKeys, ReceiverCurrency, UmaPorts } from '../types'
import { checkInvoice, checkSuccessAction, checkTerms } from './check-offer'
import { retryOnUsedNonce } from './nonce-retry'
import { refusedBy } from './remote-refusal'
import { fetchRemote, invalidRemoteResponse, refusalForLog, toVaspError } from './remote-vasp'
import { requireUma } from './require-uma'
import type { InvoiceOffer, InvoiceRequest } from './types'

/** Where and how to request an invoice from another VASP. */
export interface RemoteReceiver {
  readonly address: Address
  readonly major: 0 | 1
  readonly callback: string
  readonly isSubjectToTravelRule: boolean
  /** The payer data that the receiver's VASP asks for, and whether each field is mandatory. */
  readonly payerData: Readonly<Record<string, { readonly mandatory: boolean }>>
}

export interface RemoteInvoiceRequest extends Pick<
  InvoiceRequest,
  'username' | 'payerName' | 'lock' | 'comment' | 'callbackId'
> {
  readonly currency: Pick<ReceiverCurrency, 'code' | 'decimals'>
  /** The price stated in the lookup; undefined when there was no lookup. */
  readonly price: Multiplier | undefined
  readonly umaInvoiceUuid?: string | undefined
}

/** What this VASP can disclose about a payer. */
const KNOWN_PAYER_DATA = new Set(['identifier', 'compliance', 'name'])

/**
 * Sends a signed pay request (UMAD-05) and checks its answer: signature (version 1 only), invoice, amount, price, fee. The nonce of
 * the answer, and whether its payment hash is new, are checked by the statement that saves the quote.
 * Version 0 states the receiver's fee only with the invoice. If millisatoshis are locked and the fee comes on top of
 * them, the request is sent again for the amount that is left after the fee.
 * @throws VaspError; for a fault of the other VASP, a 400 whose message names that VASP.
 */
export async function requestUmaInvoice(
  ports: UmaPorts,
  receiver: RemoteReceiver,
  request: RemoteInvoiceRequest,
): Promise<InvoiceOffer> {
  const offer = await requestWithRetry(ports, receiver, request)
  const { lock } = request
  if (lock.side === 'receiving' || offer.amountMsats <= lock.msats) return offer
  const msats = lock.msats - offer.feeMsats
  if (msats < 1n) throw badInput(`The amount is too small: the fee of ${receiver.address.domain} takes all of it.`)
  return requestWithRetry(ports, receiver, { ...request, lock: { side: 'sending', msats } })
}

function requestWithRetry(
  ports: UmaPorts,
  receiver: RemoteReceiver,
  request: RemoteInvoiceRequest,
): Promise<InvoiceOffer> {
  return retryOnUsedNonce(() => requestOnce(ports, receiver, request))
}

async function requestOnce(
  ports: UmaPorts,
  receiver: RemoteReceiver,
  request: RemoteInvoiceRequest,
): Promise<InvoiceOffer> {
  const uma = requireUma(ports)
  const { domain } = receiver.address
  const missing = Object.entries(receiver.payerData).find(
    ([key, { mandatory }]) => mandatory && !KNOWN_PAYER_DATA.has(key),
  )
  if (missing !== undefined)
    throw remoteFault(
      'unsupported_payer_data',
      `${domain} asks for details about the payer that this VASP does not have: ${missing[0].slice(0, 40)}.`,
    )
  const lock = lockFor(receiver.major, request)
  const payer = addressOf(request.username, ports.settings.vaspDomain)
  const keys = await uma.remoteKeys.get(domain, 'outgoing').catch((error: unknown) => {
    throw toVaspError(domain, error)
  })
  const body = await signedRequest(ports, receiver, { ...request, lock }, payer, keys)
  const answered = await fetchRemote(uma.fetch, domain, receiver.callback, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    owner: { userId: request.username },
    // The receiver accepts the nonce only once, and a second invoice would stay unpaid.
    isIdempotent: true,
  })
  if (answered.status !== 200) {
    ports.log.warn({ domain, status: answered.status, ...refusalForLog(answered.text) }, 'a pay request was refused')
    throw refusedBy(domain, answered, 'payment')
  }
  const answer = readPayAnswer(parseJson(answered.text))
  if (answer === undefined) throw invalidRemoteResponse(domain)
  const nonce = receiver.major === 1 ? await verifyAnswer(ports, receiver.address, answer, payer) : undefined
  return { ...toOffer(ports, receiver, { ...request, lock }, answer), nonce }
}

/** Version 0 has amounts in the receiving currency only, so locked millisatoshis are converted to it, rounded down. */
function lockFor(major: 0 | 1, { lock, price, currency }: RemoteInvoiceRequest): InvoiceRequest['lock'] {
  if (major === 1 || lock.side === 'receiving') return lock
  const units = price === undefined ? 0n : unitsWorth(lock.msats, price)
  if (units < 1n) throw badInput(`The amount is worth less than one unit of ${currency.code}.`)
  if (units > MAX_WIRE_INTEGER) throw badInput(`The amount is too large for one payment in ${currency.code}.`)
  return { side: 'receiving', units }
}

async function signedRequest(
  ports: UmaPorts,
  { address, major, isSubjectToTravelRule, payerData }: RemoteReceiver,
  { lock, currency, comment, callbackId, umaInvoiceUuid, username, payerName }: RemoteInvoiceRequest,
  payer: string,
  keys: PublicKeys,
): Promise<string> {
  const { keys: own } = requireUma(ports)
  const name = payerName ?? (await readName(ports, username))
  const amount = toWireInteger(lock.side === 'receiving' ? lock.units : lock.msats)
  const originator = { identifier: payer, name }
  const travelRule = JSON.stringify({ originator, beneficiary: { identifier: address.text } })
  const request = await getPayRequest({
    amount,
    receivingCurrencyCode: currency.code,
    isAmountInReceivingCurrency: lock.side === 'receiving',
    payerIdentifier: payer,
    // Only for a VASP that asks for it (LUD-18). Travel rule data is encrypted below.
    ...(payerData.name === undefined ? {} : { payerName: name }),
    payerKycStatus: KycStatus.Verified,
    payerNodePubKey: ports.node.identity.publicKeyHex,
    payerUtxos: [],
    receiverEncryptionPubKey: Buffer.from(keys.encryption, 'hex'),
    sendingVaspPrivateKey: own.signing.secret,
    utxoCallback: `${ports.settings.publicOrigin}/uma/callback/${callbackId}`,
    umaMajorVersion: major,
    requestedPayeeData: { compliance: { mandatory: true }, identifier: { mandatory: false } },
    ...(comment === undefined ? {} : { comment }),
    ...(umaInvoiceUuid === undefined ? {} : { invoiceUUID: umaInvoiceUuid }),
  })
  // Encrypted here, because the SDK's encryption takes longer than the rest of the payment. The signature does not
  // cover this field.
  const compliance = request.payerData?.compliance
  if (compliance === undefined) throw new Error('the pay request names no payer')
  if (isSubjectToTravelRule)
    compliance.encryptedTravelRuleInfo = encryptFor(keys.encryption, travelRule).toString('hex')
  return request.toJsonString()
}

async function readName({ db }: UmaPorts, username: string): Promise<string> {
  const user = await findPayableUser(db, username)
  if (typeof user === 'string') throw new Error('the payer does not exist')
  return user.displayName
}

async function verifyAnswer(ports: UmaPorts, address: Address, answer: PayAnswer, payer: string): Promise<Nonce> {
  const uma = requireUma(ports)
  const { signature, signatureNonce, signatureTimestamp } = answer.compliance ?? {}
  if (signature == null || signatureNonce == null || signatureTimestamp == null)
    throw invalidRemoteResponse(address.domain)
  const signed = new PayReqResponse(
    answer.pr,
    { compliance: { utxos: [], signature, signatureNonce, signatureTimestamp } },
    undefined,
    undefined,
    undefined,
    1,
  )
  try {
    return await verifySignature(
      { ...ports, uma },
      {
        domain: address.domain,
        nonce: signatureNonce,
        timestampSeconds: signatureTimestamp,
        direction: 'outgoing',
        holds: (keys) => verifyPayReqResponseSignature(signed, payer, address.text, keys, NO_NONCES),
      },
    )
  } catch (error) {
    throw toVaspError(address.domain, error)
  }
}

function toOffer(
  ports: UmaPorts,
  { address, major }: RemoteReceiver,
  request: RemoteInvoiceRequest,
  { pr, terms, compliance, successAction }: PayAnswer,
): InvoiceOffer {
  const { domain } = address
  const refuse = (reason: string): Error => {
    ports.log.warn({ domain, reason }, 'an offer was refused')
    return remoteFault(
      'offer',
      `${domain} offered different terms from those requested. The offer was refused: ${reason}.`,
    )
  }
  const here = { node: ports.node.identity, nowSeconds: epochSeconds(ports.clock.now()) }
  const checked = checkInvoice(pr, here)
  if (!checked.ok) throw refuse(lowerFirst(checked.reason))
  if (terms === undefined) throw refuse('it names no price')
  const { currency, lock, price } = request
  const worth = checkTerms({ ...currency, major, lock, price }, terms, checked.amountMsats)
  if (!worth.ok) throw refuse(worth.reason)
  const shown = checkSuccessAction(successAction, (url) => isAddressOf(ports.settings, url, domain))
  if (!shown.ok) throw refuse(shown.reason)
  const { receivingUnits, feeMsats, amountMsats } = worth
  return {
    invoice: checked.invoice,
    amountMsats,
    receivingUnits,
    feeMsats,
    msatsPerUnit: terms.multiplier,
    successAction: shown.action,
    remoteCallback: ownAddressOf(ports.settings, compliance?.utxoCallback, domain) ?? null,
  }
}

/** A reason from the invoice reader, for use in the middle of a sentence. */
export function lowerFirst(reason: string): string {
  return reason.replace(/\.$/, '').replace(/^This/, 'this')
}

/** The multiplier of a lookup as a ratio. @throws Error for an unchecked multiplier. */
export function ratioOf({ msatsPerUnit }: Pick<ReceiverCurrency, 'msatsPerUnit'>): Multiplier {
  const price = readMultiplier(msatsPerUnit)
  if (price === undefined) throw new Error('a multiplier was not checked')
  return price
}
