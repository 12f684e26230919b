import { gatewaySettings, portOf } from '../../lib/backend/gateway-config'
import { IMPLEMENTED_COMMANDS } from '../../lib/backend/methods'
import type { SettingsFile } from './settings'

/** The settings of the simulator next to an instance, under the public gateway's setting names. */
export function gatewayEnvironment(settings: SettingsFile): Record<string, string> {
  return {
    GATEWAY_PORT: gatewayPort(settings),
    ...vaspSettings(settings),
    VASP_SUPPORTED_COMMANDS: IMPLEMENTED_COMMANDS.join(','),
  }
}

/** Where the gateway of an instance listens. */
export function gatewayPort(settings: SettingsFile): string {
  return settings.GATEWAY_PORT || portOf(new URL(settings.GATEWAY_ROOT_URL ?? ''))
}

/** The settings of a gateway that follow from those of an instance. */
export function vaspSettings(settings: SettingsFile): Record<string, string> {
  return gatewaySettings({
    origin: settings.NEXTAUTH_URL ?? '',
    apiBasePath: '/umanwc/v1',
    domain: settings.VASP_DOMAIN ?? '',
    name: settings.VASP_NAME ?? '',
    gatewayRoot: settings.GATEWAY_ROOT_URL ?? '',
    publicKey: settings.JWT_PUBLIC_KEY ?? '',
  })
}
