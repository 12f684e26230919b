import { getSignedLnurlpRequestUrl, LnurlpResponse, verifyUmaLnurlpResponseSignature } from '@uma-sdk/core'
import { badInput, remoteFault } from '../../platform/errors'
import type { GuardedAnswer } from '../../platform/net/guarded-fetch'
import { parseJson } from '../../platform/parse-json'
import type { Address } from '../address'
import { NO_NONCES, verifySignature } from '../keys/verify-message'
import { isAddressOf, originOf } from '../messages/domains'
import { hasLargeMetadata, isPlainLookUp, readUmaLookUp, type UmaLookUp } from '../messages/receiver-message'
import { takeNonce, type Nonce } from '../nonces'
import type { UmaPorts } from '../types'
import { retryOnUsedNonce } from './nonce-retry'
import { noSuchReceiver } from './own-receiver'
import { refusedBy } from './remote-refusal'
import {
  fetchRemote,
  invalidRemoteResponse,
  MAX_LOOKUP_BYTES,
  refusalForLog,
  tooLarge,
  toVaspError,
} from './remote-vasp'
import { ratioOf, requestUmaInvoice } from './request-invoice'
import { requireUma } from './require-uma'
import type { Receiver } from './types'

/** Our versions by major number, the best one first. */
const VERSIONS = new Map([
  [1, '1.0'],
  [0, '0.3'],
])
const BEST = '1.0'

/** Looks up a receiver of another VASP over UMA: a signed request (UMAD-03, UMAD-04) whose answer is verified. */
export function lookUpUma(
  ports: UmaPorts,
  username: string,
  address: Address,
  options: { readonly takesNonce: boolean },
): Promise<Omit<Receiver, 'rates'>> {
  return retryOnUsedNonce(() => lookUpWithoutRetry(ports, username, address, options))
}

async function lookUpWithoutRetry(
  ports: UmaPorts,
  username: string,
  address: Address,
  { takesNonce }: { readonly takesNonce: boolean },
): Promise<Omit<Receiver, 'rates'>> {
  const { domain } = address
  const send = (version: string): Promise<GuardedAnswer> => sendLookUp(ports, username, address, version)
  const answered = await send(BEST)
  const settled = answered.status === 412 ? await send(commonVersion(domain, answered)) : answered
  if (settled.status === 404) throw noSuchReceiver(address)
  if (settled.status !== 200) {
    ports.log.warn({ domain, status: settled.status, ...refusalForLog(settled.text) }, 'a lookup was refused')
    throw settled.status === 412 ? noCommonVersion(domain) : refusedBy(domain, settled, 'lookup')
  }
  const json = parseJson(settled.text)
  if (hasLargeMetadata(json)) throw tooLarge(domain)
  const found = readUmaLookUp(json)
  if (found === undefined && isPlainLookUp(json))
    throw remoteFault(
      'unusable',
      `${domain} does not support UMA. Try the address without the $: ${address.text.replace('$', '')}.`,
    )
  if (found === undefined || !isAddressOf(ports.settings, found.callback, domain)) throw invalidRemoteResponse(domain)
  const nonce = await verifyAnswer(ports, address, found, takesNonce)
  // A receiver without any currency is valid, although it cannot be paid.
  if (found.currencies.length === 0 && found.leftOut.length > 0) throw noSupportedCurrency(address, found.leftOut)
  return { ...toReceiver(ports, address, found), nonce: takesNonce ? undefined : nonce }
}

async function sendLookUp(
  ports: UmaPorts,
  username: string,
  { text, domain }: Address,
  umaVersionOverride: string,
): Promise<GuardedAnswer> {
  const { keys, fetch } = requireUma(ports)
  const signed = await getSignedLnurlpRequestUrl({
    isSubjectToTravelRule: true,
    receiverAddress: text,
    senderVaspDomain: ports.settings.vaspDomain,
    signingPrivateKey: keys.signing.secret,
    umaVersionOverride,
  })
  // Our settings, not the form of the name, decide between http and https.
  const url = `${originOf(ports.settings, domain)}${signed.pathname}${signed.search}`
  return fetchRemote(fetch, domain, url, { owner: { userId: username }, maxBytes: MAX_LOOKUP_BYTES })
}

/** The best version that both VASPs support. */
function commonVersion(domain: string, { text }: GuardedAnswer): string {
  const { supportedMajorVersions } = (parseJson(text) ?? {}) as { supportedMajorVersions?: unknown }
  const theirs: readonly unknown[] = Array.isArray(supportedMajorVersions) ? supportedMajorVersions : []
  const common = [...VERSIONS].find(([major]) => theirs.includes(major))
  if (common === undefined) throw noCommonVersion(domain)
  return common[1]
}

const MAX_LISTED = 5

function noSupportedCurrency({ text }: Address, codes: readonly string[]): Error {
  const named = codes.slice(0, MAX_LISTED).join(', ')
  return remoteFault('unusable', `${text} accepts only currencies that this VASP cannot send: ${named}.`)
}

function noCommonVersion(domain: string): Error {
  return badInput(`${domain} supports no UMA version that this VASP supports. It cannot be paid.`)
}

async function verifyAnswer(
  ports: UmaPorts,
  { text, domain }: Address,
  found: UmaLookUp,
  takesNonce: boolean,
): Promise<Nonce> {
  const uma = requireUma(ports)
  const { compliance } = found
  if (compliance.receiverIdentifier !== text) throw invalidRemoteResponse(domain)
  const signed = new LnurlpResponse(
    found.callback,
    found.minSendable,
    found.maxSendable,
    found.metadata,
    compliance as LnurlpResponse['compliance'] & object,
  )
  try {
    const nonce = await verifySignature(
      { ...ports, uma },
      {
        domain,
        nonce: compliance.signatureNonce,
        timestampSeconds: compliance.signatureTimestamp,
        direction: 'outgoing',
        holds: (keys) => verifyUmaLnurlpResponseSignature(signed, keys, NO_NONCES),
      },
    )
    if (takesNonce) await takeNonce(ports.db, nonce)
    return nonce
  } catch (error) {
    throw toVaspError(domain, error)
  }
}

function toReceiver(ports: UmaPorts, address: Address, found: UmaLookUp): Omit<Receiver, 'rates'> {
  const { major, callback, payerData, currencies, compliance } = found
  const remote = { address, major, callback, payerData, isSubjectToTravelRule: compliance.isSubjectToTravelRule }
  return {
    address,
    protocol: major === 1 ? 'uma-1' : 'uma-0',
    currencies,
    minMsats: BigInt(found.minSendable),
    maxMsats: BigInt(found.maxSendable),
    commentLength: found.commentAllowed ?? 0,
    requestInvoice: ({ currency, ...request }) =>
      requestUmaInvoice(ports, remote, { ...request, currency, price: ratioOf(currency) }),
  }
}
