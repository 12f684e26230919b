import { jsonOf } from '../shared/json'

/** Settings of a gateway by name; empty ones are left out. */
export type GatewayConfig = Readonly<Record<string, string>>

/** The settings that are read. The file has others, for the public gateway only: its keys, relay and database. */
const TEXTS = [
  'NWC_APP_ROOT_URL',
  'UMA_VASP_LOGIN_URL',
  'UMA_VASP_TOKEN_EXCHANGE_URL',
  'VASP_UMA_API_BASE_URL',
  'UMA_VASP_JWT_PUBKEY',
  'UMA_VASP_JWT_AUD',
  'UMA_VASP_JWT_ISS',
  'VASP_NAME',
]
const LIST = 'VASP_SUPPORTED_COMMANDS'

/**
 * Reads the file that `npm run gateway:config` prints. It is Python, and only lines of the printed form are read: a name
 * and a text in double quotes, or a list of such texts. Nothing is evaluated. A list is returned as text
 * with commas, the simulator's format.
 * @throws Error that names file, line and setting when a setting has another form.
 */
export function readGatewayConfig(text: string, file: string): GatewayConfig {
  const config: Record<string, string> = {}
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, name = '', literal = ''] = /^([A-Z][A-Z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    if (!TEXTS.includes(name) && name !== LIST) continue
    const value = name === LIST ? readList(literal.trim()) : readText(literal.trim())
    if (value === undefined)
      throw new Error(
        `${name} in ${file}, line ${index + 1}, is not ${name === LIST ? '["…", "…"]' : '"…"'}: write it as npm run gateway:config prints it.`,
      )
    // As in Python, a later line replaces an earlier one.
    config[name] = value
  }
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ''))
}

/** Each literal that the command prints is also valid JSON. */
function readText(literal: string): string | undefined {
  const value = jsonOf(literal)
  return typeof value === 'string' ? value : undefined
}

function readList(literal: string): string | undefined {
  const value = jsonOf(literal)
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string' && !each.includes(','))
  return isList ? value.join(',') : undefined
}
