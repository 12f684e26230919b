import type { Settings } from '../platform/config'
import { isLocalSandbox } from '../platform/local-sandbox'
import { siteListens } from '../platform/net/site-listens'

/**
 * The address for links to the gateway; null when a sandbox on the visitor's own machine runs without a gateway. A
 * hosted server does not check: a browser may reach a gateway that the server cannot, such as one at `localhost`
 * outside the server's container.
 */
export async function gatewayAddress(
  settings: Pick<Settings, 'gatewayRootUrl' | 'sandboxTools' | 'teamPassword'>,
): Promise<string | null> {
  const { gatewayRootUrl } = settings
  const isMissing = isLocalSandbox(settings) && !(await siteListens(gatewayRootUrl))
  return isMissing ? null : gatewayRootUrl.href.replace(/\/$/, '')
}
