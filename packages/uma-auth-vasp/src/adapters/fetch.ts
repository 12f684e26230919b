import type { UmaAuthVasp } from '../vasp.ts'

type Handler = (request: Request) => Promise<Response>

/**
 * Route handlers for a catch-all route of Next.js (`app/umanwc/[[...path]]/route.ts`: `export const { GET, … } = routeHandlers(vasp)`).
 * All methods lead to the VASP, so that HEAD does not run GET and a wrong method gets the API's own 405.
 * Hono, Bun and Deno need no adapter: `vasp.fetch` is their handler.
 */
export function routeHandlers(vasp: Pick<UmaAuthVasp, 'fetch'>): Record<(typeof METHODS)[number], Handler> {
  const handler: Handler = (request) => vasp.fetch(request)
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<(typeof METHODS)[number], Handler>
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
