import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { Login } from './login'
import type { GatewaySettings } from './settings'
import type { Store } from './store'
import type { TokenDeps } from './tokens'

/** What a page's handler may put beside its answer. */
export interface Env {
  Variables: {
    /** Where a form of this page leads in the end: browsers hold `form-action` to redirects too. */
    returnsTo: string
  }
}
export type PageContext = Context<Env>

export interface GatewayDeps {
  readonly settings: GatewaySettings
  readonly store: Store
  readonly nowSeconds: () => number
  readonly publicKey: string
  readonly relayConnected: () => boolean
}

/** Cookies ignore ports: the name must be no VASP's, and no other gateway's on this machine. */
export function cookieOf({ settings }: Pick<GatewayDeps, 'settings'>): string {
  return `gateway.${settings.GATEWAY_PORT}.session`
}

export function loginOf(deps: GatewayDeps, context: PageContext): Login | undefined {
  return deps.store.login(getCookie(context, cookieOf(deps)), deps.nowSeconds())
}

/** The public gateway sends the token on in the page's address; here it stays on the server behind a cookie. */
export function signIn(deps: GatewayDeps, context: PageContext, login: Login): void {
  const id = deps.store.signIn(login, deps.nowSeconds())
  setCookie(context, cookieOf(deps), id, { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 3_600 })
}

export function tokenDeps(deps: GatewayDeps): TokenDeps {
  return {
    store: deps.store,
    nowSeconds: deps.nowSeconds,
    gatewayPublicKey: deps.publicKey,
    relay: deps.settings.RELAY,
  }
}
