import { rawRequest } from './raw-connection'
import type { OpenInvoice, Person } from './people'
import { BASE, bearer, get, pay } from './rows'

/** One request of each person for the same thing. */
export function reads(people: readonly Person[], port: number, path: string): string[] {
  return people.map(({ token }) => rawRequest(get(`${BASE}${path}`, bearer(token)), port))
}

export function paymentRequests(
  payments: readonly { readonly payer: Person; readonly invoice: OpenInvoice }[],
  port: number,
): string[] {
  return payments.map(({ payer, invoice }) => rawRequest(pay({ token: payer.token, invoice: invoice.invoice }), port))
}

/** Eight reads for two payments, in turn. */
export function mixed(readRequests: readonly string[], payments: readonly string[]): string[] {
  return payments.flatMap((payment, index) => [
    ...Array.from({ length: 4 }, (_, step) => readRequests[(index * 4 + step) % readRequests.length] ?? ''),
    payment,
  ])
}
