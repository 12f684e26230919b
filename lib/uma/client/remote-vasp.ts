import { z } from 'zod'
import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { isVaspError, remoteFault, VaspError } from '../../platform/errors'
import { isFetchError, type FetchError } from '../../platform/net/fetch-error'
import type { GuardedAnswer } from '../../platform/net/guarded-fetch'
import { parseJson } from '../../platform/parse-json'
import { isUmaFault, type UmaCode } from '../fault'
import { KEYS_ARE_REQUESTED_AGAIN } from '../keys/remote-keys'
import type { UmaFetch, UmaRequest } from '../message-events'

/** Fetches from another VASP. @throws VaspError with a message for the user. */
export async function fetchRemote(
  fetch: UmaFetch,
  domain: string,
  url: string,
  request: UmaRequest,
): Promise<GuardedAnswer> {
  try {
    return await fetch(url, request)
  } catch (error) {
    throw toVaspError(domain, error)
  }
}

const KEY_FAULTS: ReadonlySet<UmaCode> = new Set(['INVALID_PUBKEY_FORMAT', 'CERT_CHAIN_INVALID', 'CERT_CHAIN_EXPIRED'])

/** The error for a failed exchange with another VASP, with a message for the user. The cause may be logged. */
export function toVaspError(domain: string, error: unknown): unknown {
  if (isVaspError(error)) return error
  if (isBusy(error)) return tooBusy(error)
  if (isUmaFault(error)) {
    const { cause } = error
    if (isFetchError(cause)) return describeFetch(domain, cause)
    if (isBusy(cause)) return tooBusy(cause)
    if (error.code === 'COUNTERPARTY_NOT_ALLOWED')
      return remoteFault('closed', `Addresses at ${domain} cannot be paid by this VASP.`, error)
    if (error.code === 'COUNTERPARTY_PUBKEY_FETCH_ERROR')
      return remoteFault(
        'no_public_keys',
        `${domain} does not publish its public keys. It cannot be paid right now. ${KEYS_ARE_REQUESTED_AGAIN} Try again then.`,
        error,
      )
    if (KEY_FAULTS.has(error.code))
      return remoteFault('bad_keys', `${error.message} Nothing was paid. The receiver should tell their VASP.`, error)
    if (error.code === 'INVALID_TIMESTAMP')
      return remoteFault(
        'unsigned',
        `${domain} sent an answer without a valid signature: its timestamp is too far from the time of this server. Nothing was paid. The receiver should tell their VASP to check its clock.`,
        error,
      )
    return remoteFault(
      'unsigned',
      `${domain} sent an answer without a valid signature. Nothing was paid. Check with the receiver before you try again.`,
      error,
    )
  }
  return isFetchError(error) ? describeFetch(domain, error) : error
}

function describeFetch(domain: string, error: FetchError): VaspError {
  switch (error.problem) {
    case 'not-allowed':
      return remoteFault('closed', `Addresses at ${domain} cannot be paid by this VASP.`, error)
    case 'busy':
      return tooBusy(error)
    case 'unreachable':
    case 'late':
      return remoteFault('timeout', `${domain} does not answer. Try again later.`, error)
    case 'answer':
      return error.maxBytes === undefined ? invalidRemoteResponse(domain, error) : tooLarge(domain, error)
  }
}

function tooBusy(cause: unknown): VaspError {
  const headers = { 'Retry-After': '5' }
  return new VaspError(503, 'INTERNAL', 'This VASP is contacting many others right now. Try again in a few seconds.', {
    cause,
    headers,
  })
}

/** The error for an answer or a part of it that is larger than the protocol permits. */
export function tooLarge(domain: string, cause?: unknown): VaspError {
  return remoteFault(
    'unusable',
    `${domain} sent an answer that is too large. Nothing was paid. Trying again will not help; the receiver should tell their VASP.`,
    cause,
  )
}

/** The error for an answer that breaks the protocol. */
export function invalidRemoteResponse(domain: string, cause?: unknown): VaspError {
  return remoteFault(
    'unusable',
    `${domain} sent an invalid answer. Trying again will not help; the receiver should tell their VASP.`,
    cause,
  )
}

const Refusal = z.object({
  code: z
    .string()
    .regex(/^[A-Z_]{1,60}$/)
    .optional()
    .catch(undefined),
  reason: z.string().optional().catch(undefined),
})
const MAX_LOGGED_LENGTH = 100
/** The largest answer to a lookup: LUD-06 permits a picture of 136,536 characters. */
export const MAX_LOOKUP_BYTES = 256 * 1024

/**
 * The parts of a refusal that are logged: its code, and the beginning of its reason without text that looks like an
 * address, a phone number or a key. The reason may name the parties to the payment.
 */
export function refusalForLog(text: string): { readonly code?: string | undefined; readonly reason?: string } {
  const { code, reason } = Refusal.safeParse(parseJson(text)).data ?? {}
  if (reason === undefined) return { code }
  const kept = reason
    .slice(0, 4 * MAX_LOGGED_LENGTH)
    .replaceAll(/(?<!\S)[^\s@]*@\S*/g, '…')
    .replaceAll(/\+?\d[\d ()/.-]{5,}\d/g, '…')
    .replaceAll(/\w{24,}/g, '…')
    .replaceAll(/\s+/g, ' ')
  return { code, reason: kept.slice(0, MAX_LOGGED_LENGTH) }
}
