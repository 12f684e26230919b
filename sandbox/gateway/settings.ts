import { z } from 'zod'
import { port, readEnvironment, relay, webUrl } from '../shared/environment'
import { parseBuffer } from './budget'

const origin = webUrl.transform((url) => url.replace(/\/$/, ''))

const Environment = z.object({
  GATEWAY_PORT: port.default(8080),
  NWC_APP_ROOT_URL: origin.default('http://localhost:8080'),
  UMA_VASP_LOGIN_URL: origin,
  UMA_VASP_TOKEN_EXCHANGE_URL: origin,
  VASP_UMA_API_BASE_URL: origin,
  UMA_VASP_JWT_PUBKEY: z
    .string()
    .includes('PUBLIC KEY')
    .transform((pem) => pem.replaceAll('\\n', '\n')),
  UMA_VASP_JWT_AUD: z.string().optional(),
  UMA_VASP_JWT_ISS: z.string().optional(),
  VASP_NAME: z.string().min(1).default('UMA NWC'),
  VASP_SUPPORTED_COMMANDS: z.string().transform((list) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
  RELAY: relay,
  NOSTR_PRIVKEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  BUDGET_BUFFER_MULTIPLIER: z
    .string()
    .default('1')
    .transform((text, context) => {
      try {
        return parseBuffer(text)
      } catch {
        context.addIssue('a decimal number of at least 1')
        return z.NEVER
      }
    }),
  GATEWAY_DATA_DIR: z.string().min(1).default('.data/gateway'),
})

/** The public gateway's setting names, so that the same settings work in both. */
export type GatewaySettings = z.output<typeof Environment>

/** @throws Error with one line that names the variable and the fix. */
export function loadGatewaySettings(env: Readonly<Record<string, string | undefined>>): GatewaySettings {
  return readEnvironment(Environment, env, 'sandbox/gateway/README.md')
}

const SECOND = 'SECOND_'

/**
 * The settings of one gateway, or of two in one process, each with its own keys and memory. The settings of the
 * second have the prefix SECOND_.
 * @throws Error as `loadGatewaySettings` does.
 */
export function loadAllGatewaySettings(env: Readonly<Record<string, string | undefined>>): GatewaySettings[] {
  const first = loadGatewaySettings(env)
  const second = Object.entries(env).filter(([name]) => name.startsWith(SECOND))
  if (second.length === 0) return [first]
  return [
    first,
    loadGatewaySettings(Object.fromEntries(second.map(([name, value]) => [name.slice(SECOND.length), value]))),
  ]
}
