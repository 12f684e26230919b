import type { ServerResponse } from 'node:http'

/** What every answer says at least: not framed, not guessed at, nothing in it runs. Pages say more, with their own policy. */
export const BASE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

/**
 * Adds the base headers that an answer does not have itself, at the last moment: set beforehand, they would win over
 * those that a page brings, because Next keeps what is there already.
 */
export function addBaseHeaders(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]): ServerResponse => {
    for (const [name, value] of Object.entries(BASE_HEADERS)) {
      if (!response.hasHeader(name)) response.setHeader(name, value)
    }
    return writeHead(...args)
  }
}
