import type { Visitor } from './visitor'

/** The user whose wallet receives the shop's payments. */
export const SHOPKEEPER = 'bob'
const GROUPS = ['receive_payments', 'read_balance', 'read_transactions']

export interface ShopPairing {
  /** The shop's and the gateway's root URLs, without a slash at their end. */
  readonly shopOrigin: string
  readonly gatewayRoot: string
  /** The user as whom the visitor is signed in at the VASP: `$bob@localhost:3000`. */
  readonly address: string
  /** The shop forgets its visitors' wallets and orders once the login has succeeded. */
  readonly forgetsVisitors?: boolean
}

/**
 * Goes through the login of UMA Auth in place of the shop's owner: from the shop's form to the simulator's approval, and back to the
 * shop. The shop asks for its default permissions. @throws Error with a message for the terminal or the log.
 */
export async function connectShop(
  visitor: Visitor,
  { shopOrigin, gatewayRoot, address, forgetsVisitors = false }: ShopPairing,
): Promise<void> {
  const form = { address, life: 'none', ...(forgetsVisitors ? { visitors: 'forget' } : {}) }
  const leaving = await visitor.post(`${shopOrigin}/merchant/connect`, new URLSearchParams(form))
  const toGateway = /class="button main" href="([^"]+)"/.exec(leaving.text)?.[1]?.replaceAll('&amp;', '&')
  if (toGateway === undefined) throw new Error(`the shop did not ask ${address} and answered ${leaving.status}`)
  const approval = await visitor.get(toGateway)
  const ask = /name="ask" value="([^"]+)"/.exec(approval.text)?.[1]
  if (ask === undefined)
    throw new Error(`the sign-in as ${address} ended at ${approval.url.split('?', 1)[0]} with ${approval.status}`)
  const decision = [['ask', ask], ['life', 'none'], ['decision', 'connect'], ...GROUPS.map((group) => ['group', group])]
  const { status, url, text } = await visitor.post(`${gatewayRoot}/apps/new`, new URLSearchParams(decision))
  if (status === 200 && url === `${shopOrigin}/merchant`) return
  // The gateway's page contains the VASP's answer, such as that Bob has too many connections.
  const reason = /role="alert">([^<]+)/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? 'no reason'
  throw new Error(`the gateway did not connect the shop: ${url.split('?', 1)[0]} answered ${status}: ${reason}`)
}
