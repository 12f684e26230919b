import { randomUUID } from 'node:crypto'
import type { Limit } from './budget'
import type { Login } from './login'
import type { GatewaySettings } from './settings'
import type { ClientApp, Connection } from './store'
import { answerOf, callVasp, errorForApp, type Exchange } from './vasp-client'

export interface Approval {
  readonly name: string
  /** Null for a manual connection. */
  readonly clientApp: ClientApp | null
  readonly permissions: readonly string[]
  /** Null for a connection without a budget; the amount is in smallest units of the login's currency. */
  readonly limit: Limit | null
  /** Undefined for a connection without an expiry. */
  readonly expiresAtSeconds: number | undefined
}

export type Connected =
  { readonly connection: Connection } | { readonly problem: string; readonly exchanges: readonly Exchange[] }

/**
 * Repeats the steps of the public gateway after an approval: `/info` with the login token, which must list the
 * login's currency, then the token exchange. Nothing is stored unless both succeed.
 */
export async function connect(
  settings: GatewaySettings,
  login: Login,
  approval: Approval,
  nowSeconds: number,
): Promise<Connected> {
  const info = await callVasp('GET', `${settings.VASP_UMA_API_BASE_URL}/info`, login.token)
  const currencies = currencyCodesOf(info)
  if (currencies === undefined || currencies.length === 0) return failed(info, 'lists no supported currency', [info])
  if (!currencies.includes(login.currency.code))
    return failed(info, `does not list ${login.currency.code}, the currency of the login`, [info])

  const { permissions } = approval
  const expiration = approval.expiresAtSeconds
  const body = expiration === undefined ? { permissions } : { permissions, expiration }
  const exchange = await callVasp('POST', settings.UMA_VASP_TOKEN_EXCHANGE_URL, login.token, body)
  const longToken = answerOf(exchange)?.token
  if (typeof longToken !== 'string') return failed(exchange, 'returned no token', [info, exchange])
  return {
    connection: {
      id: randomUUID(),
      sub: login.sub,
      address: login.address,
      name: approval.name,
      clientApp: approval.clientApp,
      permissions,
      currency: login.currency,
      createdAtSeconds: nowSeconds,
      lastUsedAtSeconds: null,
      expiresAtSeconds: expiration ?? null,
      loginToken: login.token,
      longToken,
      appPublicKey: null,
      keyExpiresAtSeconds: null,
      refreshHash: null,
      refreshExpiresAtSeconds: null,
      limit: approval.limit,
      cycles: [],
      payments: [],
      exchanges: [info, exchange],
    },
  }
}

function failed(exchange: Exchange, what: string, exchanges: readonly Exchange[]): Connected {
  const error = errorForApp(exchange)
  const said =
    error === undefined ? what : `answered ${exchange.status === 0 ? 'nothing' : exchange.status}: ${error.message}`
  return { problem: `${new URL(exchange.url).pathname} of the VASP ${said}.`, exchanges }
}

function currencyCodesOf(info: Exchange): string[] | undefined {
  const currencies = answerOf(info)?.currencies
  if (!Array.isArray(currencies)) return undefined
  return currencies.flatMap((entry: { currency?: { code?: unknown } } | null) => {
    const code = entry?.currency?.code
    return typeof code === 'string' ? [code] : []
  })
}
