import { rawRequest } from './raw-connection'
import type { OpenInvoice, Person } from './people'

const BASE = '/umanwc/v1'

/** One request of each person for the same thing. */
export function reads(people: readonly Person[], port: number, path: string): string[] {
  return people.map(({ token }) => rawRequest('GET', `${BASE}${path}`, { port, token }))
}

export function invoiceRequests(people: readonly Person[], port: number): string[] {
  return people.map(({ token }) =>
    rawRequest('POST', `${BASE}/invoice`, { port, token, body: { amount: 1_000, description: 'Measured' } }),
  )
}

export function paymentRequests(
  payments: readonly { readonly payer: Person; readonly invoice: OpenInvoice }[],
  port: number,
): string[] {
  return payments.map(({ payer, invoice }) =>
    rawRequest('POST', `${BASE}/payments/bolt11`, {
      port,
      token: payer.token,
      body: { invoice: invoice.invoice, budget_currency_code: 'SAT' },
    }),
  )
}

/** Tokens of which one digit of the signature is another: each is a new one to the server, so that none is remembered. */
export function badSignatures(people: readonly Person[], port: number): string[] {
  return people.flatMap(({ token }) =>
    Array.from({ length: 20 }, (_, index) => {
      const at = token.lastIndexOf('.') + 2 + index
      const other = token[at] === 'A' ? 'B' : 'A'
      return rawRequest('GET', `${BASE}/balance`, {
        port,
        token: `${token.slice(0, at)}${other}${token.slice(at + 1)}`,
      })
    }),
  )
}

/** Eight reads for two payments, in turn. */
export function mixed(readRequests: readonly string[], payments: readonly string[]): string[] {
  return payments.flatMap((payment, index) => [
    ...Array.from({ length: 4 }, (_, step) => readRequests[(index * 4 + step) % readRequests.length] ?? ''),
    payment,
  ])
}
