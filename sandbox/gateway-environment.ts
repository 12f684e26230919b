import { IMPLEMENTED_COMMANDS } from '../lib/backend/methods'
import type { SettingsFile } from './settings'

/** The stand-in's settings beside an instance: the names of the public gateway, filled in. */
export function gatewayEnvironment(settings: SettingsFile): Record<string, string> {
  const origin = settings.NEXTAUTH_URL ?? ''
  const root = settings.GATEWAY_ROOT_URL ?? ''
  return {
    GATEWAY_PORT: settings.GATEWAY_PORT || portOf(new URL(root)),
    NWC_APP_ROOT_URL: root,
    UMA_VASP_LOGIN_URL: `${origin}/connect`,
    UMA_VASP_TOKEN_EXCHANGE_URL: `${origin}/umanwc/v1/token`,
    VASP_UMA_API_BASE_URL: `${origin}/umanwc/v1`,
    UMA_VASP_JWT_PUBKEY: settings.JWT_PUBLIC_KEY ?? '',
    UMA_VASP_JWT_AUD: settings.VASP_DOMAIN ?? '',
    UMA_VASP_JWT_ISS: settings.VASP_DOMAIN ?? '',
    VASP_NAME: settings.VASP_NAME ?? '',
    VASP_SUPPORTED_COMMANDS: IMPLEMENTED_COMMANDS.join(','),
  }
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}
