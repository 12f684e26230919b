import { isVaspError } from '../platform/errors'
import { parseAddress } from '../uma/address'
import { lookUp } from '../uma/client/look-up'
import type { Receiver } from '../uma/client/types'
import type { RemoteQuotePorts } from './types'

/** The receiver of a typed address, or why there is none. */
export type ResolvedReceiver =
  { readonly kind: 'receiver'; readonly receiver: Receiver } | { readonly kind: 'problem'; readonly message: string }

/** Whether a text looks like an address: no invoice contains an `@`. */
export function looksLikeAddress(text: string): boolean {
  return text.includes('@')
}

/** Whether a text is an address that `resolveReceiver` reads. */
export function isAddress(text: string): boolean {
  try {
    return parseAddress(text) !== undefined
  } catch {
    return false
  }
}

/** Resolves an address for a page. Requests to other VASPs have their own limit, as in the API. */
export async function resolveReceiver(
  ports: RemoteQuotePorts,
  username: string,
  text: string,
): Promise<ResolvedReceiver> {
  try {
    const address = parseAddress(text.trim())
    return {
      kind: 'receiver',
      receiver: await ports.limits.runOutbound(username, () => lookUp(ports, username, address)),
    }
  } catch (error) {
    if (isVaspError(error)) return { kind: 'problem', message: error.message }
    throw error
  }
}
