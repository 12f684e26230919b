import type { Settings } from '../platform/config'
import { gatewayListens } from '../platform/net/gateway-listens'

/**
 * The gateway's address to link to; null when a sandbox on the visitor's own machine runs without a gateway. A hosted server does
 * not check: a browser may reach a gateway that the server cannot, such as one at `localhost` beside its container.
 */
export async function gatewayAddress({
  gatewayRootUrl,
  sandboxTools,
  teamPassword,
}: Pick<Settings, 'gatewayRootUrl' | 'sandboxTools' | 'teamPassword'>): Promise<string | null> {
  const isHosted = !sandboxTools || teamPassword !== undefined
  return isHosted || (await gatewayListens(gatewayRootUrl)) ? gatewayRootUrl.href.replace(/\/$/, '') : null
}
