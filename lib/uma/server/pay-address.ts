import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Settings } from '../../platform/config'
import { derivedKey } from '../keys/keys'
import type { UmaKeys } from '../types'

/** 128 bits, in base64url. */
const MARK_BYTES = 16

/**
 * The `callback` in the answer to a VASP's signed lookup (UMAD-04): the address for that VASP's pay requests. The last
 * part of the address, the mark, depends on that VASP. The answer to a lookup and a pay request are signed over the
 * same fields. So a VASP that looked up a user of another VASP holds a signature that would be valid on a pay request
 * in that user's name. But it does not know the mark that the user's VASP received.
 */
export function payAddressFor(
  { settings, keys }: { readonly settings: Pick<Settings, 'publicOrigin'>; readonly keys: UmaKeys },
  username: string,
  domain: string,
): string {
  return `${plainPayAddress(settings, username)}/${markOf(keys, username, domain).toString('base64url')}`
}

/**
 * The callback of a UMA invoice, which is paid without a lookup. It names the invoice, because the Python SDK drops
 * `invoiceUUID`.
 */
export function umaInvoiceCallback(
  settings: Pick<Settings, 'publicOrigin'>,
  { username, uuid }: Record<'username' | 'uuid', string>,
): string {
  return `${plainPayAddress(settings, username)}/invoice/${uuid}`
}

/** The address without a mark: for plain LNURL, and for UMA invoices created before their callbacks named them. */
export function plainPayAddress({ publicOrigin }: Pick<Settings, 'publicOrigin'>, username: string): string {
  return `${publicOrigin}/uma/pay/${username}`
}

/** Whether the last part of a pay address was given to the VASP of that domain. */
export function isIssuedTo(
  keys: UmaKeys,
  { mark, username, domain }: Record<'mark' | 'username' | 'domain', string>,
): boolean {
  const given = Buffer.from(mark, 'base64url')
  return given.length === MARK_BYTES && timingSafeEqual(given, markOf(keys, username, domain))
}

function markOf({ signing }: UmaKeys, username: string, domain: string): Buffer {
  return createHmac('sha256', derivedKey(signing, 'uma pay address'))
    .update(JSON.stringify([username, domain.toLowerCase()]))
    .digest()
    .subarray(0, MARK_BYTES)
}
