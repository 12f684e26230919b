import { createPrivateKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import type { TokenAndInvoice, World } from './fixture-contract'
import type { HttpRequest } from './load-client'
import type { Scale } from './options'

/** The data from which the requests of one commit are created. */
export interface Source {
  readonly world: World
  /** The session cookie of the reader. */
  readonly cookie: string
  /** Takes invoices that no request has paid. */
  takePayments(count: number): readonly TokenAndInvoice[]
  takeOutgoing(count: number): readonly TokenAndInvoice[]
}

export interface RowPlan {
  readonly what: string
  readonly callers: number
  /** Left out by `--quick`. */
  readonly isLong?: boolean
  /** `both`: the CPU of the other VASP counts too. */
  readonly servers: 'ours' | 'both'
  readonly expects: number
  /** Each request is sent once; this many in one measurement. Otherwise requests are repeated. */
  readonly once?: (scale: Scale) => number
  requests(source: Source, count: number): readonly HttpRequest[] | Promise<readonly HttpRequest[]>
}

export const BASE = '/umanwc/v1'
const ES256 = 'ES256'
const INVOICE_MSATS = 1_000
const RECEIVED_SATS = 1_000
/** Bad signatures of each token: each one is new to the server. */
const BAD_SIGNATURES = 20

/** The control row: it needs no database, and its code seldom changes. */
export const CONTROL = '401 for a bad signature'
export const BALANCE = 'GET /balance'
export const PAYMENT = 'Payment inside the VASP'
export const UMA_PAYMENT = 'Payment to a UMA address'
export const HISTORY = 'GET /transactions, 20 of 1,000'

type Shape = Omit<RowPlan, 'callers' | 'servers' | 'expects'> & Partial<Pick<RowPlan, 'servers' | 'expects'>>

const CONTROL_ROW: Shape = { what: CONTROL, expects: 401, requests: ({ world }) => world.tokens.flatMap(badSignatures) }
const BALANCE_ROW: Shape = { what: BALANCE, requests: reads('/balance') }
const PAYMENT_ROW: Shape = {
  what: PAYMENT,
  once: ({ payments }) => payments,
  requests: (source, count) => source.takePayments(count).map(pay),
}
/** Rows that are measured with 10 and with 50 callers. */
const API_ROWS: readonly Shape[] = [
  { what: 'GET /info', requests: reads('/info') },
  {
    what: HISTORY,
    requests: ({ world }) => [get(`${BASE}/transactions?limit=20`, bearer(world.reader.token))],
  },
  {
    what: 'POST /invoice',
    requests: ({ world }) =>
      world.tokens.map((token) => post('/invoice', token, { amount: INVOICE_MSATS, description: 'Measured' })),
  },
]
const OTHER_ROWS: readonly Shape[] = [
  {
    what: 'GET /balance, first call of a token',
    once: ({ freshTokens }) => freshTokens,
    requests: async ({ world }, count) =>
      (await signAgain(world, count)).map((token) => get(`${BASE}/balance`, bearer(token))),
  },
  {
    what: 'Payment to another VASP by invoice',
    servers: 'both',
    once: ({ outgoing }) => outgoing,
    requests: (source, count) => source.takeOutgoing(count).map(pay),
  },
  {
    what: 'Lookup of a UMA address',
    servers: 'both',
    requests: toAddresses((token, address) =>
      get(`${BASE}/receiver/lud16/${encodeURIComponent(address)}`, bearer(token)),
    ),
  },
  {
    what: 'Quote for a UMA address',
    servers: 'both',
    requests: toAddresses((token, address) => get(`${BASE}/quote/lud16?${quoteQuery(address)}`, bearer(token))),
  },
  {
    what: UMA_PAYMENT,
    servers: 'both',
    requests: toAddresses((token, address) =>
      post('/payments/lud16', token, {
        receiver_address: address,
        sending_currency_code: 'SAT',
        sending_currency_amount: RECEIVED_SATS,
      }),
    ),
  },
  { what: 'GET /-/alive', requests: () => [get('/-/alive')] },
  { what: 'Page /login', requests: () => [get('/login')] },
  { what: 'Page /wallets', requests: ({ cookie }) => [get('/wallets', { Cookie: cookie })] },
]

export function rowsOf(isQuick: boolean): RowPlan[] {
  const all = [
    at(10, CONTROL_ROW),
    ...[BALANCE_ROW, PAYMENT_ROW].flatMap((row) => [at(10, row), at(50, row)]),
    ...[...API_ROWS, ...OTHER_ROWS].flatMap((row) => [at(10, row), at(50, { ...row, isLong: true })]),
  ]
  return all.filter(({ isLong }) => !isQuick || isLong !== true)
}

export function at(callers: number, row: Shape): RowPlan {
  return { servers: 'ours', expects: 200, ...row, callers }
}

export function rowNamed(what: string, callers: number): RowPlan {
  const row = rowsOf(false).find((each) => each.what === what && each.callers === callers)
  if (row === undefined) throw new Error(`There is no row ${what} with ${callers} callers.`)
  return row
}

export function get(path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return { method: 'GET', path, headers }
}

export function post(path: string, token: string, body: unknown): HttpRequest {
  return {
    method: 'POST',
    path: `${BASE}${path}`,
    headers: { ...bearer(token), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
}

export function pay({ token, invoice }: TokenAndInvoice): HttpRequest {
  return post('/payments/bolt11', token, { invoice, budget_currency_code: 'SAT' })
}

function reads(path: string): RowPlan['requests'] {
  return ({ world }) => world.tokens.map((token) => get(`${BASE}${path}`, bearer(token)))
}

/** Each user requests a different receiver, so that no receiver is a bottleneck. */
function toAddresses(request: (token: string, address: string) => HttpRequest): RowPlan['requests'] {
  return ({ world: { tokens, addresses } }) =>
    tokens.map((token, index) => request(token, addresses[index % addresses.length] ?? ''))
}

function quoteQuery(address: string): URLSearchParams {
  return new URLSearchParams({
    sending_currency_code: 'SAT',
    receiving_currency_code: 'SAT',
    locked_currency_amount: String(RECEIVED_SATS),
    locked_currency_side: 'receiving',
    receiver_address: address,
  })
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}

/** Changes one digit of the signature. */
function badSignatures(token: string): HttpRequest[] {
  return Array.from({ length: BAD_SIGNATURES }, (_, index) => {
    const place = token.lastIndexOf('.') + 2 + index
    const other = token[place] === 'A' ? 'B' : 'A'
    return get(`${BASE}/balance`, bearer(`${token.slice(0, place)}${other}${token.slice(place + 1)}`))
  })
}

/** The same claims with new signatures: an ES256 signature has a random part, so the server has not seen these tokens. */
async function signAgain({ tokens, privateKeyPem }: World, count: number): Promise<string[]> {
  const key = createPrivateKey(privateKeyPem)
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const token = tokens[index % tokens.length] ?? ''
      return new SignJWT(decodeJwt(token)).setProtectedHeader({ ...decodeProtectedHeader(token), alg: ES256 }).sign(key)
    }),
  )
}
