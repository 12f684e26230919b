import { importKeys, KeyError } from 'uma-auth-vasp'
import { z } from 'zod'
import { isThisMachine } from '../shared/own-site'
import type { Environment } from '../shared/settings'
import { discoveryUrl, readDiscovery } from '../shop/discovery'
import { parseUmaAddress, readUrl } from '../shop/uma-address'
import type { GatewayArguments } from './gateway-arguments'
import type { GatewayConfig } from './gateway-config'

/** A value and where it comes from, as the command prints it. */
export interface Value {
  readonly text: string
  readonly source: string
}

/** The values that are known before the VASP is asked. */
export interface VaspValues {
  /** Origin of the VASP. */
  readonly vasp: Value
  readonly api: Value
  readonly login: Value
  readonly exchange: Value
  /** PEM. */
  readonly publicKey: Value
  readonly audience: Value
  readonly issuer: Value
}

/** The values that the discovery document has or confirms. */
export interface GatewayValues {
  readonly name: Value
  /** Separated by commas. */
  readonly commands: Value
  readonly root: Value
  /** Faults of the document with which the simulator works, but some apps do not. */
  readonly warnings: readonly string[]
}

export interface Given {
  readonly flags: GatewayArguments
  readonly config: GatewayConfig
  /** The text of the file that `--jwt-public-key` names. */
  readonly publicKeyText: string | undefined
}

/** The source of a value that was not given. */
export const DEFAULT = 'default'
const DOCUMENT = 'discovery document'

/** @throws Error with one line that names the flag or the setting to change. */
export async function resolveVasp({ flags, config, publicKeyText }: Given): Promise<VaspValues> {
  const inFile = (name: string): Value | undefined =>
    config[name] === undefined ? undefined : { text: config[name], source: `${name} in ${flags.config}` }
  const vasp = originOf(flags.vasp, inFile('UMA_VASP_LOGIN_URL'))
  const address = (flag: string, given: string | undefined, setting: string, usual: string): Value =>
    urlOf(given === undefined ? inFile(setting) : { text: given, source: flag }) ?? { text: usual, source: DEFAULT }
  const api = address('--api', flags.api, 'VASP_UMA_API_BASE_URL', `${vasp.text}/umanwc/v1`)
  if (new URL(api.text).search !== '')
    throw new Error(`${api.source} is ${quoted(api.text)}: the API is a base address, so it has no query.`)
  const domain = { text: new URL(vasp.text).host, source: DEFAULT }
  return {
    vasp,
    api,
    login: address('--login', flags.login, 'UMA_VASP_LOGIN_URL', `${vasp.text}/connect`),
    exchange: address('--exchange', flags.exchange, 'UMA_VASP_TOKEN_EXCHANGE_URL', `${api.text}/token`),
    publicKey: await keyOf(
      publicKeyText === undefined
        ? inFile('UMA_VASP_JWT_PUBKEY')
        : { text: publicKeyText, source: `--jwt-public-key ${flags['jwt-public-key']}` },
    ),
    audience: inFile('UMA_VASP_JWT_AUD') ?? domain,
    issuer: inFile('UMA_VASP_JWT_ISS') ?? domain,
  }
}

function originOf(flag: string | undefined, login: Value | undefined): Value {
  if (flag === undefined && login === undefined)
    throw new Error(
      'The VASP is missing: give --vasp ORIGIN, such as --vasp http://localhost:3000, or --config FILE with UMA_VASP_LOGIN_URL.',
    )
  const given = flag === undefined ? login : { text: flag, source: '--vasp' }
  const url = readUrl(given?.text ?? '')
  const { source = '' } = given ?? {}
  if (url === undefined || url.origin === 'null' || (flag !== undefined && !isOrigin(url)))
    throw new Error(
      `${source} ${quoted(given?.text)} is not an origin: write scheme, host and port, such as http://localhost:3000.`,
    )
  // Apps look up the addresses of this domain, so their rule applies: https and a domain name, or http on this machine.
  if (parseUmaAddress(`$name@${url.host}`)?.origin !== url.origin)
    throw new Error(
      `${source} ${quoted(url.origin)} cannot have UMA addresses: use https and a domain name, or http for a VASP on this machine.`,
    )
  return { text: url.origin, source }
}

function isOrigin(url: URL): boolean {
  return url.href === `${url.origin}/`
}

/** The address without a trailing slash. */
function urlOf(value: Value | undefined): Value | undefined {
  if (value === undefined) return undefined
  const url = readUrl(value.text)
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.hash !== '' ||
    `${url.username}${url.password}` !== ''
  )
    throw new Error(
      `${value.source} is ${quoted(value.text)}: use a web address that begins with http:// or https://, without a password or a fragment.`,
    )
  return { ...value, text: url.href.replace(/\/$/, '') }
}

async function keyOf(value: Value | undefined): Promise<Value> {
  if (value === undefined)
    throw new Error(
      'The public key of the VASP is missing: give its PEM file with --jwt-public-key FILE, or UMA_VASP_JWT_PUBKEY in --config FILE.',
    )
  const pem = value.text.replaceAll('\\n', '\n').trim()
  try {
    if (pem === '') throw new KeyError('publicKey', 'is empty: write the PEM text of the public key into it.')
    await importKeys({ publicKey: pem })
  } catch (error) {
    throw error instanceof KeyError ? new Error(`${value.source} ${error.problem}`, { cause: error }) : error
  }
  return { ...value, text: `${pem}\n` }
}

// Without control characters: messages and the list of values show both texts in a terminal.
const Document = z.object({
  name: z
    .string()
    .regex(/^\P{Cc}{1,100}$/u)
    .nullish(),
  nwc_commands_supported: z
    .array(z.string().regex(/^[a-z_]{1,40}$/))
    .min(1)
    .nullish(),
  authorization_endpoint: z.string().regex(/^\P{Cc}{1,2000}$/u),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().nullish(),
  connection_management_endpoint: z.string().nullish(),
})
type Document = z.output<typeof Document>

/**
 * Reads the VASP's discovery document. The simulator listens where the document says that the gateway is.
 * @throws Error with one line that names the flag, the variable or the VASP's setting to change.
 */
export function resolveDiscovered(
  origin: string,
  document: unknown,
  { flags, config }: Pick<Given, 'flags' | 'config'>,
  env: Environment,
): GatewayValues {
  const url = discoveryUrl(origin)
  const parsed = Document.safeParse(document)
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? 'the document')
    throw new Error(`${url} cannot be used: ${field} is missing or not valid. Correct ${field} at the VASP.`)
  }
  const { root, warnings } = gatewayRootOf(parsed.data, url)
  requireSameRoot(root, { flags, config }, env)
  requireUsableForShop(origin, document)
  const valueOf = (field: 'name' | 'nwc_commands_supported', setting: string): Value => {
    const [inFile, found] = [config[setting], parsed.data[field]]
    if (inFile !== undefined) return { text: inFile, source: `${setting} in ${flags.config}` }
    if (found != null) return { text: String(found), source: DOCUMENT }
    throw new Error(`${url} has no ${field}: add it at the VASP, or ${setting} to --config FILE.`)
  }
  return {
    name: valueOf('name', 'VASP_NAME'),
    commands: valueOf('nwc_commands_supported', 'VASP_SUPPORTED_COMMANDS'),
    root: { text: root, source: DOCUMENT },
    warnings,
  }
}

const AUTHORIZATION = '/oauth/auth'

/** The root URL of the authorization endpoint, and each other endpoint that names another gateway. */
function gatewayRootOf(document: Document, url: string): { readonly root: string; readonly warnings: string[] } {
  const authorization = document.authorization_endpoint
  const root = authorization.endsWith(AUTHORIZATION) ? authorization.slice(0, -AUTHORIZATION.length) : undefined
  const parsed = readUrl(root ?? '')
  if (root === undefined || parsed === undefined)
    throw new Error(
      `${url} names no gateway: authorization_endpoint is ${quoted(authorization)}. Set it at the VASP to the gateway's root URL followed by ${AUTHORIZATION}.`,
    )
  const expected = {
    token_endpoint: `${root}/oauth/token`,
    revocation_endpoint: `${root}/oauth/revoke`,
    connection_management_endpoint: `${root}/connection/<connection_id>`,
  } as const
  const warnings = (['token_endpoint', 'revocation_endpoint', 'connection_management_endpoint'] as const)
    .filter((name) => document[name] != null && document[name] !== expected[name])
    .map(
      (name) =>
        `${url} names two gateways: ${name} is ${quoted(document[name] ?? '')}, but authorization_endpoint is at ${root}. The simulator listens at ${root}, and apps ${USES[name]} the other one. Set ${name} at the VASP to ${expected[name]}.`,
    )
  if (parsed.protocol !== 'http:' || !isThisMachine(parsed.hostname) || parsed.origin !== root)
    throw new Error(
      `The VASP's gateway root URL is ${root}, where the simulator cannot listen: set it at the VASP to an http origin of this machine, such as http://localhost:${parsed.port || 8080}.`,
    )
  return { root, warnings }
}

const USES = {
  token_endpoint: 'request their tokens from',
  revocation_endpoint: 'end their connections at',
  connection_management_endpoint: 'show their connections at',
} as const

function requireSameRoot(root: string, { flags, config }: Pick<Given, 'flags' | 'config'>, env: Environment): void {
  const known = `the VASP's discovery document names the gateway root URL ${root}`
  for (const [where, given] of [
    [`NWC_APP_ROOT_URL in ${flags.config}`, config.NWC_APP_ROOT_URL],
    ['NWC_APP_ROOT_URL in the environment', env.NWC_APP_ROOT_URL],
  ] as const)
    if (given && given.replace(/\/$/, '') !== root)
      throw new Error(`${where} is ${quoted(given)}, but ${known}. Change one of the two.`)
  const port = new URL(root).port || '80'
  if (env.GATEWAY_PORT && env.GATEWAY_PORT !== port)
    throw new Error(`GATEWAY_PORT is ${quoted(env.GATEWAY_PORT)}, but ${known}. Change one of the two.`)
}

/** The shop reads the same document, with requirements of its own. */
function requireUsableForShop(origin: string, document: unknown): void {
  try {
    readDiscovery({ origin }, document, new URL(origin).host)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason} Correct ${discoveryUrl(origin)} at the VASP.`, { cause: error })
  }
}

/** The settings of the simulator. */
export function simulatorSettings(vasp: VaspValues, gateway: GatewayValues): Record<string, string> {
  return {
    GATEWAY_PORT: new URL(gateway.root.text).port || '80',
    NWC_APP_ROOT_URL: gateway.root.text,
    UMA_VASP_LOGIN_URL: vasp.login.text,
    UMA_VASP_TOKEN_EXCHANGE_URL: vasp.exchange.text,
    VASP_UMA_API_BASE_URL: vasp.api.text,
    UMA_VASP_JWT_PUBKEY: vasp.publicKey.text,
    UMA_VASP_JWT_AUD: vasp.audience.text,
    UMA_VASP_JWT_ISS: vasp.issuer.text,
    VASP_NAME: gateway.name.text,
    VASP_SUPPORTED_COMMANDS: gateway.commands.text,
  }
}

/** A given text inside a message: on one line, without control characters of a terminal. */
function quoted(text = ''): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return JSON.stringify(short).replaceAll(/[\u007f-\u009f]/g, '')
}
