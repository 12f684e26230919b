import { createPrivateKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { z } from 'zod'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { BASE, bearer, get, pay, post, read, type HttpRequest } from './requests'
import { call, HISTORY, inParallel, makeInvoices, PAYMENT_MSATS, READER, type Side } from './side'

export interface Row {
  readonly what: string
  readonly callers: readonly number[]
  readonly expects?: number
  /** The CPU of the other VASP counts too. */
  readonly both?: boolean
  /** Each request is sent once. Otherwise requests are repeated. */
  readonly once?: boolean
  /** The most requests of one measurement. */
  readonly most?: (side: Side) => number
  requests(side: Side, count: number): readonly HttpRequest[] | Promise<readonly HttpRequest[]>
}

export const BALANCE = 'GET /balance'
export const PAYMENT = 'POST /payments/bolt11, inside'
/** The rows whose statements are counted. */
export const BETWEEN_VASPS = {
  lookUp: 'GET /receiver/lud16, UMA look-up',
  quote: 'GET /quote/lud16, UMA quote',
  execute: 'POST /quote, UMA execution',
  pay: 'POST /payments/lud16, UMA payment',
} as const
/** A quote is an unpaid invoice of its receiver, who has at most 100 of them from one domain: room for ten rounds. */
const mostQuotes = ({ abroad }: Side): number => abroad.users.length * 8
/** The sign-in page lists the users. */
export const LOGIN = 'Page /login, 50 users'
export const LOGIN_USERS = 45

const RECEIVED_SATS = 1
/** Bad signatures of each token: each one is new to the server. */
const BAD_SIGNATURES = 60
const BOTH = [10, 50]
const TEN = [10]

export const ROWS: readonly Row[] = [
  { what: 'GET /info', callers: BOTH, requests: reads('/info') },
  {
    what: 'GET /budget_estimate',
    callers: TEN,
    requests: reads('/budget_estimate?sending_currency_code=USD&sending_currency_amount=100&budget_currency_code=SAT'),
  },
  { what: BALANCE, callers: BOTH, requests: reads('/balance') },
  {
    what: 'POST /invoice',
    callers: BOTH,
    requests: ({ home }) =>
      home.users.map(({ token }) => post('/invoice', token, { amount: PAYMENT_MSATS, description: 'Measured' })),
  },
  { what: 'GET /invoices/‹hash›', callers: TEN, requests: lookUpInvoices },
  {
    what: `GET /transactions, 20 of ${HISTORY}`,
    callers: BOTH,
    async requests(side) {
      await side.fillHistory()
      return [read('/transactions?limit=20', side.reader.token)]
    },
  },
  {
    what: PAYMENT,
    callers: BOTH,
    once: true,
    requests: async ({ home }, count) =>
      (await makeInvoices(home, { payees: home.users, payers: home.users }, count)).map(pay),
  },
  { what: 'POST /payments/keysend, inside', callers: TEN, requests: keysend },
  {
    what: 'POST /payments/bolt11, to another VASP',
    callers: TEN,
    both: true,
    once: true,
    requests: async ({ home, abroad }, count) => {
      const invoices = await makeInvoices(abroad, { payees: abroad.users, payers: abroad.users }, count)
      return invoices.map(({ invoice }, index) => pay({ invoice, token: tokenAt(home.users, index) }))
    },
  },
  { what: BETWEEN_VASPS.lookUp, callers: TEN, both: true, requests: toAddresses(lookUp) },
  { what: BETWEEN_VASPS.quote, callers: TEN, both: true, most: mostQuotes, requests: toAddresses(quote) },
  { what: BETWEEN_VASPS.execute, callers: TEN, both: true, once: true, most: mostQuotes, requests: executions },
  { what: BETWEEN_VASPS.pay, callers: [1, 10], both: true, requests: toAddresses(payAddress) },
  { what: 'Refused token', callers: TEN, expects: 401, requests: ({ home }) => home.users.flatMap(badSignatures) },
  { what: 'GET /balance, first call of a token', callers: TEN, once: true, requests: firstCalls },
  page('/wallets'),
  page('/wallets/SAT'),
  page('/connections'),
  {
    what: 'Page /connections/‹id›',
    callers: TEN,
    requests: ({ reader }) => {
      const { jti } = decodeJwt(reader.token)
      return [get(`/connections/${jti}`, { Cookie: reader.cookie })]
    },
  },
  page('/developers/wire'),
  page('/invoices'),
  { what: LOGIN, callers: TEN, requests: () => [get('/login')] },
  ...['/-/alive', '/-/serving', '/openapi.json', '/.well-known/uma-configuration'].map((path): Row => ({
    what: `GET ${path}`,
    callers: TEN,
    requests: () => [get(path)],
  })),
]

/** Whether a name was chosen with `--only`: a part of the name, in any case. */
export function isChosen(what: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((part) => what.toLowerCase().includes(part.toLowerCase()))
}

export function rowNamed(what: string): Row {
  const row = ROWS.find((each) => each.what === what)
  if (row === undefined) throw new Error(`There is no row ${what}.`)
  return row
}

function reads(path: string): Row['requests'] {
  return ({ home }) => home.users.map(({ token }) => read(path, token))
}

function page(path: string): Row {
  return {
    what: `Page ${path}`,
    callers: TEN,
    async requests(side) {
      await side.fillHistory()
      return [get(path, { Cookie: side.reader.cookie })]
    },
  }
}

async function lookUpInvoices({ home }: Side): Promise<HttpRequest[]> {
  const Hash = z.object({ payment_hash: z.string() })
  return inParallel(home.users.length, async (index) => {
    const token = tokenAt(home.users, index)
    const made = Hash.parse(await call(home, post('/invoice', token, { amount: PAYMENT_MSATS })))
    return read(`/invoices/${made.payment_hash}`, token)
  })
}

/** To users of the own node, which record 696969 names. */
function keysend({ home }: Side): HttpRequest[] {
  const pubkey = nodePublicKey(home.identity.nodeSecretHex)
  return home.users.map(({ token }, index) => {
    const payee = home.users[(index + 1) % home.users.length]?.username ?? READER
    const record = { type: 696_969, value: Buffer.from(payee).toString('hex') }
    return post('/payments/keysend', token, { amount: PAYMENT_MSATS, pubkey, tlv_records: [record] })
  })
}

/** Each user requests a different receiver, so that no receiver is a bottleneck. */
function toAddresses(request: (token: string, address: string) => HttpRequest): Row['requests'] {
  return ({ home, abroad }) =>
    home.users.map(({ token }, index) => {
      const receiver = abroad.users[index % abroad.users.length]?.username ?? READER
      return request(token, `$${receiver}@${abroad.identity.domain}`)
    })
}

function lookUp(token: string, address: string): HttpRequest {
  return read(`/receiver/lud16/${encodeURIComponent(address)}`, token)
}

function quote(token: string, address: string): HttpRequest {
  const query = new URLSearchParams({
    sending_currency_code: 'SAT',
    receiving_currency_code: 'SAT',
    locked_currency_amount: String(RECEIVED_SATS),
    locked_currency_side: 'receiving',
    receiver_address: address,
  })
  return read(`/quote/lud16?${query}`, token)
}

function payAddress(token: string, address: string): HttpRequest {
  return post('/payments/lud16', token, {
    receiver_address: address,
    sending_currency_code: 'SAT',
    sending_currency_amount: RECEIVED_SATS,
  })
}

async function executions(side: Side, count: number): Promise<HttpRequest[]> {
  const Quote = z.object({ payment_hash: z.string() })
  const asked = await rowNamed(BETWEEN_VASPS.quote).requests(side, count)
  return inParallel(count, async (index) => {
    const request = asked[index % asked.length] ?? get('/')
    const { payment_hash: hash } = Quote.parse(await call(side.home, request))
    return { ...post(`/quote/${hash}`, '', {}), headers: { ...request.headers, 'Content-Type': 'application/json' } }
  })
}

/** Changes one digit of the signature. */
function badSignatures({ token }: { readonly token: string }): HttpRequest[] {
  return Array.from({ length: BAD_SIGNATURES }, (_, index) => {
    const place = token.lastIndexOf('.') + 2 + index
    const other = token[place] === 'A' ? 'B' : 'A'
    return get(`${BASE}/balance`, bearer(`${token.slice(0, place)}${other}${token.slice(place + 1)}`))
  })
}

/** The same claims with new signatures: an ES256 signature has a random part, so the server has not seen these tokens. */
async function firstCalls({ home: { users, identity } }: Side, count: number): Promise<HttpRequest[]> {
  const key = createPrivateKey(identity.pair.privatePem)
  const signed = async (_: unknown, index: number): Promise<HttpRequest> => {
    const token = tokenAt(users, index)
    const header = { ...decodeProtectedHeader(token), alg: 'ES256' }
    return read('/balance', await new SignJWT(decodeJwt(token)).setProtectedHeader(header).sign(key))
  }
  return Promise.all(Array.from({ length: count }, signed))
}

function tokenAt(users: readonly { readonly token: string }[], index: number): string {
  return users[index % users.length]?.token ?? ''
}
