import { remoteFault, type RemoteFault, type VaspError } from '../../platform/errors'
import type { GuardedAnswer } from '../../platform/net/guarded-fetch'
import { visibleText } from '../../platform/visible-text'
import { umaFault } from '../fault'
import { refusalForLog } from './remote-vasp'

/** What this VASP requested from another VASP. */
type Step = 'lookup' | 'payment'
type Refusal = Extract<RemoteFault, 'refused' | 'later' | 'barred' | 'unready' | 'unverified'>

const REFUSAL_OF_CODE: ReadonlyMap<string | undefined, Refusal> = new Map([
  ['COUNTERPARTY_NOT_ALLOWED', 'barred'],
  ['SENDER_NOT_ACCEPTED', 'barred'],
  ['USER_NOT_READY', 'unready'],
  ['VELOCITY_LIMIT_EXCEEDED', 'later'],
  ['INVALID_NONCE', 'later'],
  ['INVALID_SIGNATURE', 'unverified'],
  ['INVALID_TIMESTAMP', 'unverified'],
  ['INVALID_PUBKEY_FORMAT', 'unverified'],
  ['CERT_CHAIN_INVALID', 'unverified'],
  ['CERT_CHAIN_EXPIRED', 'unverified'],
])

const MAX_REASON_LENGTH = 200

/**
 * The reason of a plain LNURL receiver, which wallets show (LUD-01): on one line, visible and not too long. Long words without a space, such as keys and invoices, are left out. Undefined when
 * no letter or digit is left, and for a reason with a link, which could lead users to a page of a stranger.
 */
export function shownReason(reason: unknown): string | undefined {
  if (typeof reason !== 'string' || /:\/\/|\bwww\./i.test(reason)) return undefined
  const text = (visibleText(reason.slice(0, 4 * MAX_REASON_LENGTH)) ?? '')
    .replaceAll(/\w{24,}/g, '…')
    // Our text puts the reason in these.
    .replaceAll(/[“”]/g, '"')
    .trim()
  const shown = text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text
  return /[\p{L}\p{N}]/u.test(shown) ? shown : undefined
}

/**
 * Our message about a refusal by another VASP. A UMA VASP's own `reason` is never shown, because its codes are precise and
 * its text could say anything.
 * @param reason of a plain LNURL receiver, which has no codes: quoted as the receiver's text.
 */
export function refusedBy(domain: string, { status, text }: GuardedAnswer, step: Step, reason?: string): VaspError {
  const { code } = refusalForLog(text)
  const cause =
    code === 'INVALID_NONCE' ? umaFault(code, `${domain} reports that our nonce was used before`) : undefined
  const refusal = REFUSAL_OF_CODE.get(code) ?? refusalOfStatus(status)
  const sentence = sentenceOf(refusal, domain, { status, code }, step)
  const quoted = reason === undefined ? undefined : `${domain} answered: “${reason}”`
  return remoteFault(refusal, quoted === undefined ? sentence : `${sentence} ${quoted}`, cause, quoted)
}

function refusalOfStatus(status: number): Refusal {
  // 424: a server that the other VASP depends on did not answer. A 501 stays the same when the request is repeated.
  if (status === 424 || status === 429 || (status >= 500 && status !== 501)) return 'later'
  return status === 403 ? 'barred' : 'refused'
}

function sentenceOf(
  refusal: Refusal,
  domain: string,
  { status, code }: { readonly status: number; readonly code?: string | undefined },
  step: Step,
): string {
  // Plain LNURL may refuse with 200 (LUD-06).
  const shown = status === 200 ? '' : ` (${status})`
  switch (refusal) {
    case 'later':
      return `${domain} cannot answer right now${shown}. Try again later.`
    case 'barred':
      return `${domain} does not accept payments from this VASP${shown}. Ask the receiver for another way to pay.`
    case 'unready':
      return `${domain} reports that the receiver cannot receive payments right now${shown}. Try again later, or ask the receiver.`
    case 'unverified':
      return `${domain} could not verify the messages of this VASP${shown}. Tell the operator of this VASP.`
    case 'refused':
      return step === 'lookup'
        ? `${domain} refused the lookup${shown}. Check the address, or ask the receiver.`
        : `${domain} refused the payment${shown}. Try another ${code === 'INVALID_CURRENCY' ? 'currency' : 'amount'}, or ask the receiver.`
  }
}
