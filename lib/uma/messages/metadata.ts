import { createHash } from 'node:crypto'
import type { PayableUser } from '../payable-user'

/**
 * The text that a payer's wallet shows and an invoice commits to (LUD-06, LUD-16). It is the same at the lookup and in
 * the invoice.
 */
export function metadataOf({ displayName }: Pick<PayableUser, 'displayName'>, address: string): string {
  return JSON.stringify([
    ['text/plain', `Pay ${displayName}`],
    ['text/identifier', address],
  ])
}

/**
 * The description hash of a Lightning invoice. It covers the metadata, the UMA invoice to be paid, and the payer data,
 * which is parsed and written as compact JSON (LUD-06, LUD-18, UMAD-09). A sender that hashes its own text with spaces
 * or `\u` escapes gets a different hash.
 */
export function descriptionHash(metadata: string, payerData: unknown, umaInvoice?: string): string {
  const items = JSON.parse(metadata) as string[][]
  const all = umaInvoice === undefined ? metadata : JSON.stringify([...items, ['text/uma-invoice', umaInvoice]])
  const text = `${all}${payerData === undefined ? '' : JSON.stringify(payerData)}`
  return createHash('sha256').update(text).digest('hex')
}
