import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { Login } from './login'
import type { GatewaySettings } from './settings'
import type { Store } from './store'

/** Values that a page's handler passes on with its response. */
export interface Env {
  Variables: {
    /** The final target of a form on this page: browsers apply `form-action` to redirects too. */
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

/** Cookies ignore ports, so the name must differ from those of every VASP and other gateway on this machine. */
export function cookieOf({ settings }: Pick<GatewayDeps, 'settings'>): string {
  return `gateway.${settings.GATEWAY_PORT}.session`
}

export function loginOf(deps: GatewayDeps, context: PageContext): Login | undefined {
  return deps.store.login(getCookie(context, cookieOf(deps)), deps.nowSeconds())
}

/** The public gateway passes the token on in the page's address. Here it stays on the server behind a cookie. */
export function signIn(deps: GatewayDeps, context: PageContext, login: Login): void {
  const id = deps.store.signIn(login)
  setCookie(context, cookieOf(deps), id, { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 3_600 })
}
