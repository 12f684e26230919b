import type { Settings } from '../platform/config'
import { gatewayListens } from '../platform/net/gateway-listens'

/** The gateway's address to link to; null when a sandbox runs without a gateway. A public gateway is not checked. */
export async function gatewayAddress(
  settings: Pick<Settings, 'gatewayRootUrl' | 'sandboxTools'>,
): Promise<string | null> {
  const { gatewayRootUrl, sandboxTools } = settings
  return sandboxTools && !(await gatewayListens(gatewayRootUrl)) ? null : gatewayRootUrl.href.replace(/\/$/, '')
}
