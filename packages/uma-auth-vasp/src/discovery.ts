import type { CommandName } from './commands.ts'
import type { ApiResponse } from './request.ts'

export interface DiscoveryOptions {
  readonly name: string
  readonly gatewayRoot: URL
  readonly commands: readonly CommandName[]
  /** Empty without UMA keys. */
  readonly umaMajorVersions: readonly number[]
  /** Where UMA requests for payment are sent (UMAD-11). */
  readonly umaRequestEndpoint: string | undefined
}

/**
 * `/.well-known/uma-configuration` (specification, Discovery document). Every endpoint is the gateway's. Besides the eight fields of
 * the specification it has `nwc_commands_supported` (UMADE-01).
 */
export function discoveryDocument(options: DiscoveryOptions): Record<string, unknown> {
  const gateway = options.gatewayRoot.href.replace(/\/$/, '')
  return {
    name: options.name,
    uma_major_versions: options.umaMajorVersions,
    authorization_endpoint: `${gateway}/oauth/auth`,
    token_endpoint: `${gateway}/oauth/token`,
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    connection_management_endpoint: `${gateway}/connection/<connection_id>`,
    revocation_endpoint: `${gateway}/oauth/revoke`,
    nwc_commands_supported: options.commands,
    ...(options.umaRequestEndpoint === undefined ? {} : { uma_request_endpoint: options.umaRequestEndpoint }),
  }
}

const PUBLIC_DOCUMENT = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

const PREFLIGHT = { ...PUBLIC_DOCUMENT, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' }

/** A public document, which any page may read; 405 for methods other than GET, HEAD and OPTIONS. */
export function documentResponse(method: string, text: string): ApiResponse {
  if (method === 'GET' || method === 'HEAD') return { status: 200, headers: PUBLIC_DOCUMENT, text }
  if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT, text: '' }
  const headers = { ...PUBLIC_DOCUMENT, Allow: 'GET, HEAD, OPTIONS' }
  return { status: 405, headers, text: JSON.stringify({ error: 'This path accepts GET, HEAD, OPTIONS.' }) }
}
