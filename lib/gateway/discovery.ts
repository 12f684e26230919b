import type { Settings } from '../settings'
import { settingNames } from './commands'

/**
 * `/.well-known/uma-configuration` (specification, Discovery document). Every endpoint is the gateway's. Beyond the
 * specification's eight fields stand `nwc_commands_supported`, which UMADE-01 asks for, and where requests for payment are
 * brought (UMAD-11).
 */
export function discoveryDocument(
  settings: Pick<Settings, 'vaspName' | 'gatewayRootUrl' | 'publicOrigin' | 'umaSigningKeyHex'>,
): Record<string, unknown> {
  const speaksUma = settings.umaSigningKeyHex !== undefined
  const gateway = settings.gatewayRootUrl.href.replace(/\/$/, '')
  return {
    name: settings.vaspName,
    uma_major_versions: speaksUma ? [1, 0] : [],
    authorization_endpoint: `${gateway}/oauth/auth`,
    token_endpoint: `${gateway}/oauth/token`,
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    connection_management_endpoint: `${gateway}/connection/<connection_id>`,
    revocation_endpoint: `${gateway}/oauth/revoke`,
    nwc_commands_supported: settingNames(),
    ...(speaksUma ? { uma_request_endpoint: `${settings.publicOrigin}/uma/request` } : {}),
  }
}
