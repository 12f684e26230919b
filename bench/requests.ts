/** A request in the form that autocannon takes. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A token, and an invoice that its user can pay once. */
export interface TokenAndInvoice {
  readonly token: string
  readonly invoice: string
}

export const BASE = '/umanwc/v1'

export function get(path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return { method: 'GET', path, headers }
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}

/** A command without a body. */
export function read(path: string, token: string): HttpRequest {
  return get(`${BASE}${path}`, bearer(token))
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
