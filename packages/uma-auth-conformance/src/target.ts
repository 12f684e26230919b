import { createPublicKey, type KeyObject } from 'node:crypto'

/** Addresses and settings of the VASP under test, as they would be set in its gateway. */
export interface Target {
  readonly origin: string
  /** `VASP_UMA_API_BASE_URL`, without a trailing slash. */
  readonly api: string
  readonly login: string
  readonly exchange: string
  /** `aud` and `iss` of its tokens. */
  readonly audience: string
  readonly issuer: string
  readonly publicKey: KeyObject | undefined
  /** `NWC_APP_ROOT_URL`; undefined to read it from the discovery document. */
  readonly gatewayRoot: URL | undefined
  /** `VASP_SUPPORTED_COMMANDS`; undefined to ask the VASP. */
  readonly commands: readonly string[] | undefined
}

/** As given on the command line; undefined where a flag is absent. */
export interface TargetFlags {
  readonly vasp?: string | undefined
  readonly api?: string | undefined
  readonly login?: string | undefined
  readonly exchange?: string | undefined
  readonly gateway?: string | undefined
  /** PEM text. */
  readonly jwtPublicKey?: string | undefined
  /** Text of a Python file of the public gateway. */
  readonly config?: string | undefined
}

/**
 * A flag overrides the file; the defaults are those of the reference setup.
 * @throws Error with one line that names the flag or the setting.
 */
export function resolveTarget(flags: TargetFlags): Target {
  const settings = readSettings(flags.config ?? '')
  const login = flags.login ?? settings.UMA_VASP_LOGIN_URL
  const given = flags.vasp ?? (login === undefined ? undefined : new URL(login).origin)
  if (given === undefined) throw new Error('--vasp ORIGIN is missing: name the VASP, such as http://localhost:4000.')
  const vasp = readUrl(given, '--vasp')
  if (vasp.pathname !== '/' || vasp.search !== '')
    throw new Error(`--vasp ${given} has a path: name the origin only, such as ${vasp.origin}.`)
  const api = flags.api ?? settings.VASP_UMA_API_BASE_URL ?? `${vasp.origin}/umanwc/v1`
  const exchange = flags.exchange ?? settings.UMA_VASP_TOKEN_EXCHANGE_URL ?? `${api.replace(/\/$/, '')}/token`
  const root = flags.gateway ?? settings.NWC_APP_ROOT_URL
  readUrl(api, '--api')
  readUrl(exchange, '--exchange')
  return {
    origin: vasp.origin,
    api: api.replace(/\/$/, ''),
    login: readUrl(login ?? `${vasp.origin}/connect`, '--login').href,
    exchange,
    audience: settings.UMA_VASP_JWT_AUD ?? vasp.host,
    issuer: settings.UMA_VASP_JWT_ISS ?? vasp.host,
    publicKey: readPublicKey(flags.jwtPublicKey ?? settings.UMA_VASP_JWT_PUBKEY),
    gatewayRoot: root === undefined ? undefined : readUrl(root, '--gateway'),
    commands: settings.VASP_SUPPORTED_COMMANDS?.split(','),
  }
}

function readUrl(text: string, flag: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${flag} ${text} is not an http or https address.`)
  return new URL(text)
}

function readPublicKey(pem: string | undefined): KeyObject | undefined {
  if (pem === undefined) return undefined
  try {
    return createPublicKey(pem)
  } catch (error) {
    throw new Error('--jwt-public-key holds no public key: name a PEM file that begins with BEGIN PUBLIC KEY.', {
      cause: error,
    })
  }
}

/** Settings of the public gateway: lines `NAME = "text"` or `NAME = ["text", …]` of a Python file. Nothing is evaluated. */
function readSettings(text: string): Partial<Record<string, string>> {
  const settings: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', literal = ''] = /^([A-Z][A-Z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    const value = readLiteral(literal.trim())
    if (name !== '' && value !== undefined && value !== '') settings[name] = value
  }
  return settings
}

function readLiteral(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    if (Array.isArray(value)) return value.join(',')
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
