import { BASE, bearer, get, pay } from './benchmarks'
import { rawRequest } from './raw-connection'
import type { OpenInvoice, User } from './users'

/** The same request from each user. */
export function reads(users: readonly User[], port: number, path: string): string[] {
  return users.map(({ token }) => rawRequest(get(`${BASE}${path}`, bearer(token)), port))
}

export function paymentRequests(
  payments: readonly { readonly payer: User; readonly invoice: OpenInvoice }[],
  port: number,
): string[] {
  return payments.map(({ payer, invoice }) => rawRequest(pay({ token: payer.token, invoice: invoice.invoice }), port))
}

/** Eight reads and two payments, in turn. */
export function mixed(readRequests: readonly string[], payments: readonly string[]): string[] {
  return payments.flatMap((payment, index) => [
    ...Array.from({ length: 4 }, (_, step) => readRequests[(index * 4 + step) % readRequests.length] ?? ''),
    payment,
  ])
}
