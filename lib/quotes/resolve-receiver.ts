import type { RemoteQuotePorts } from './types'
import { isVaspError } from '../platform/errors'
import { parseAddress } from '../uma/address'
import type { Receiver } from '../uma/counterparty'
import { lookUp } from '../uma/look-up'

/** What a page shows of an address that somebody typed. */
export type Look =
  { readonly kind: 'receiver'; readonly receiver: Receiver } | { readonly kind: 'problem'; readonly message: string }

/** Whether a text is meant as an address: no invoice has an `@`. */
export function isMeantAsAddress(text: string): boolean {
  return text.includes('@')
}

/** Looks an address up for its page. Asking other VASPs has turns of its own, as over the API. */
export async function resolveReceiver(ports: RemoteQuotePorts, username: string, text: string): Promise<Look> {
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
