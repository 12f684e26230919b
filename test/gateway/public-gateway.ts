import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { decodeJwt } from 'jose'
import { createGateway } from '@/sandbox/gateway/app'
import { loadGatewaySettings, type GatewaySettings } from '@/sandbox/gateway/settings'
import { Store } from '@/sandbox/gateway/store'

/** The simulator at its own port, answering logins as the public gateway does. */
export interface PublicGateway {
  readonly settings: GatewaySettings
  close(): void
}

/** @param env the settings of the gateway. It listens at the port `GATEWAY_PORT`. */
export async function servePublicGateway(env: Readonly<Record<string, string>>): Promise<PublicGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const settings = loadGatewaySettings({ ...env, GATEWAY_DATA_DIR: folder })
  const app = createGateway({
    settings,
    store: new Store(folder),
    nowSeconds: () => Math.floor(Date.now() / 1_000),
    publicKey: 'the gateway',
    relayConnected: () => true,
  })
  // The simulator redirects to its own host; the public gateway answers at any.
  const { host } = new URL(settings.NWC_APP_ROOT_URL)
  const atOwnHost = (request: Request): Request =>
    new Request(request, { headers: [...request.headers].filter(([name]) => name !== 'host').concat([['host', host]]) })
  const listener = getRequestListener((request) =>
    answerAsPublicGateway(settings, request, () => app.fetch(atOwnHost(request))),
  )
  const server = createServer((request, response) => void listener(request, response))
  await listen(server, settings.GATEWAY_PORT)
  return {
    // As the public gateway reads it: without a correction.
    settings: { ...settings, VASP_UMA_API_BASE_URL: env.VASP_UMA_API_BASE_URL ?? '' },
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @returns the origin. */
export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * The public gateway redirects with 302 to its root and puts the token and two of its claims into the address. Every fault of a token
 * is an exception, which its framework answers with a bare 500.
 */
async function answerAsPublicGateway(
  { NWC_APP_ROOT_URL }: GatewaySettings,
  request: Request,
  simulate: () => Response | Promise<Response>,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname !== '/auth/vasp_token_callback') return simulate()
  const token = searchParams.get('token') ?? ''
  if (token === '') return new Response('No token provided', { status: 400 })
  const { status } = await simulate()
  if (status !== 303) {
    const html = '<!doctype html><title>500 Internal Server Error</title><h1>Internal Server Error</h1>'
    return new Response(html, { status: 500, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  }
  const { address, exp } = decodeJwt(token)
  const query = new URLSearchParams({
    token,
    uma_address: String(address),
    expiry: String(exp),
    currency: searchParams.get('currency') ?? '',
  })
  return new Response(null, { status: 302, headers: { Location: `${NWC_APP_ROOT_URL}/?${query}` } })
}
