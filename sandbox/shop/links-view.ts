import { html } from 'hono/html'
import { getPublicKey } from 'nostr-tools/pure'
import type { Html } from '../shared/page'
import type { Places } from './settings'
import type { Connection } from './store'
import { parseUmaAddress } from './uma-address'

/** Links from a connected wallet to its statement at the VASP and to this connection at the gateway. */
export function linksView(connection: Connection | null, places: Places): Html {
  if (connection === null) return html``
  const statement = statementUrl(connection, places)
  const gateway = gatewayUrl(connection)
  if (statement === undefined && gateway === undefined) return html``
  return html`<ul class="plain links">
    ${statement === undefined ? '' : html`<li><a href="${statement}">Statement of ${connection.address}</a></li>`}
    ${gateway === undefined ? '' : html`<li><a href="${gateway}">This connection at the gateway</a></li>`}
  </ul>`
}

/** For VASPs whose pages are known only, because another VASP has other pages. */
function statementUrl({ address }: Connection, { withPages }: Places): string | undefined {
  const parsed = parseUmaAddress(address ?? '')
  if (parsed === undefined) return undefined
  const { host } = new URL(parsed.origin)
  const own = withPages.find((each) => new URL(each).host === host)
  return own === undefined ? undefined : new URL('/wallets', own).href
}

/** The simulator opens the connection with this key; other gateways ignore the parameter and show their first page. */
function gatewayUrl({ grant, secret }: Connection): string | undefined {
  if (grant === null) return undefined
  const url = new URL('/', grant.server.authorization_endpoint)
  url.searchParams.set('connection', getPublicKey(Buffer.from(secret, 'hex')))
  return url.href
}
