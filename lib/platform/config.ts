import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { parseNetworks, type Network } from './http/networks'

/**
 * An invalid setting, which prevents startup. The message is one line: the variable, what is wrong, and how to fix it.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

export type Settings = Readonly<ReturnType<typeof loadSettings>>

export interface LightningPeer {
  /** 33 bytes compressed, hex. */
  readonly publicKeyHex: string
  readonly origin: string
}

/** The password of every seeded user on a machine that no other machine can reach. */
export const DEFAULT_PASSWORD = 'sandbox'

const LOCAL_NAME =
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|[a-z0-9-]+(\.[a-z0-9-]+)*\.(localhost|local|internal))(:\d+)?$/
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1)$/
const DOMAIN = /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:\d{1,5})?$/

const text = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === '' ? undefined : value.trim()))
const onOff = text.pipe(z.enum(['on', 'off']).optional()).describe('use on or off')
/** PEM text as it is pasted: with line breaks, CRLF, or `\n` escapes on one line. */
const pem = text.transform((value) => value?.replaceAll('\\n', '\n').replaceAll('\r\n', '\n'))

const wholeNumber = (usual: number, least: number, most: number, unit = '') =>
  text
    .pipe(
      z
        .string()
        .regex(/^\d{1,5}$/)
        .default(String(usual)),
    )
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .describe(`use ${least} to ${most} ${unit}`.trim())

const secretHex = text
  .pipe(
    z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  )
  .describe('use 64 lower-case hex digits')

/** The variables. A description says how to correct a value that is not usable. */
const Environment = z.object({
  VASP_NAME: text
    .pipe(
      z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9 ]{0,39}$/)
        .default('Northbank'),
    )
    .describe('use 1 to 40 letters, digits and spaces, starting with a letter'),
  VASP_ACCENT: text.pipe(z.enum(['green', 'blue']).default('green')).describe('use green or blue'),
  PORT: wholeNumber(3000, 1, 65535).describe('use a port from 1 to 65535'),
  HOST: text,
  METRICS_PORT: text
    .pipe(
      z
        .string()
        .regex(/^\d{1,5}$/)
        .optional(),
    )
    .transform((port) => (port === undefined ? undefined : Number(port)))
    .pipe(z.int().min(1).max(65535).optional())
    .describe('use a port from 1 to 65535, or leave it out'),
  METRICS_HOST: text.pipe(z.string().default('127.0.0.1')),
  VASP_DOMAIN: text,
  NEXTAUTH_URL: text,
  NEXTAUTH_SECRET: text,
  GATEWAY_ROOT_URL: text,
  DATABASE_URL: text,
  DATA_DIR: text,
  SANDBOX_TOOLS: text
    .pipe(z.enum(['on', 'private', 'off']).optional())
    .describe('use on, private or off, or leave it out'),
  SANDBOX_PASSWORD: text,
  SANDBOX_TEAM_PASSWORD: text,
  SANDBOX_EXAMPLE_MONTH: text.pipe(z.enum(['on', 'off']).default('off')).describe('use on or off'),
  SANDBOX_USERS_PER_MINUTE: wholeNumber(20, 1, 10_000),
  SANDBOX_USERS_MAX: wholeNumber(1_000, 1, 99_999),
  SANDBOX_USER_HOURS: wholeNumber(24, 1, 8_760, 'hours'),
  JWT_PRIVATE_KEY: pem,
  JWT_PUBLIC_KEY: pem,
  JWT_PUBLIC_KEY_PREVIOUS: pem,
  LIGHTNING_NODE_KEY: secretHex,
  LIGHTNING_PEERS: text,
  LND_URL: text,
  LND_MACAROON_FILE: text,
  LND_TLS_CERT_FILE: text,
  UMA_SIGNING_KEY: secretHex,
  UMA_ENCRYPTION_KEY: secretHex,
  UMA_INVOICES: onOff,
  UMA_LOCAL_PEERS: text,
  QUOTE_SECONDS: wholeNumber(600, 10, 3_600, 'seconds'),
  FX_SPREAD_BPS: wholeNumber(0, 0, 1_000, 'basis points'),
  ROUTING_FEE_BPS: wholeNumber(0, 0, 1_000, 'basis points'),
  RECEIVE_FEE_BPS: wholeNumber(0, 0, 500, 'basis points'),
  LIGHTNING_PEER_LIMIT_MSATS: text
    .pipe(
      z
        .string()
        .regex(/^[0-9]{1,18}$/)
        .default('10000000000'),
    )
    .transform(BigInt)
    .describe('use a whole number of millisatoshis'),
  PAYMENT_WAIT_SECONDS: wholeNumber(240, 1, 3_600, 'seconds'),
  MAX_OPEN_PAYMENTS_PER_USER: wholeNumber(20, 1, 10_000),
  MAX_ACTIVE_CONNECTIONS_PER_USER: wholeNumber(500, 1, 10_000),
  DRAIN_SECONDS: wholeNumber(0, 0, 300, 'seconds'),
  API_ALLOWED_NETWORKS: text,
  TRUSTED_PROXIES: text,
  BALANCE_DEFAULT_UNIT: text.pipe(z.enum(['currency', 'msats']).default('currency')).describe('use currency or msats'),
  RATE_LIMITS: onOff,
  SAMPLE_APP_URL: text
    .pipe(z.url({ protocol: /^https?$/ }).optional())
    .describe('use the http(s) address of an app to try, or leave it out'),
  GATEWAY_RELAY_URL: text
    .pipe(z.url({ protocol: /^wss?$/ }).optional())
    .describe('use the ws(s) address of the relay, or leave it out'),
  IDENTITY_RELAYS: text,
  LOG_LEVEL: text
    .pipe(z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'))
    .describe('use debug, info, warn, error or silent'),
})

/** Every variable that an instance reads. */
export const SETTING_NAMES: readonly string[] = Object.keys(Environment.shape)

/** The constant default of a variable; undefined when it has none. */
export function defaultOf(name: string): string | undefined {
  const defaults: Readonly<Record<string, string | number | bigint | undefined>> = Environment.parse({})
  return defaults[name]?.toString()
}

/** The accepted values, by variable. */
export function ruleOf(name: string): string | undefined {
  const settings: Readonly<Record<string, z.ZodType>> = Environment.shape
  return settings[name]?.description
}

/**
 * Reads the settings from environment variables.
 * @throws SettingsError with one line that names the first invalid variable and the fix, never the value.
 */
export function loadSettings(env: Readonly<Record<string, string | undefined>>) {
  const parsed = Environment.safeParse(env)
  if (!parsed.success) {
    const variable = String(parsed.error.issues[0]?.path[0] ?? 'settings')
    throw wrong(variable, 'is not usable', ruleOf(variable) ?? 'see .env.example')
  }
  const values = parsed.data
  const instance = values.VASP_NAME.toLowerCase().replaceAll(' ', '-')
  const vaspDomain = values.VASP_DOMAIN ?? `localhost:${values.PORT}`
  if (!DOMAIN.test(vaspDomain)) {
    throw wrong(
      'VASP_DOMAIN',
      'is not a host name',
      'use a lower-case host with an optional port, such as vasp.example or localhost:3000',
    )
  }
  const local = LOCAL_NAME.test(vaspDomain)
  const publicOrigin = readPublicOrigin(values.NEXTAUTH_URL, vaspDomain, local)
  if (values.NEXTAUTH_SECRET === undefined || values.NEXTAUTH_SECRET.length < 32) {
    throw wrong(
      'NEXTAUTH_SECRET',
      'is missing or shorter than 32 characters',
      'run `npm run demo` once, which creates one, or set 32 random characters',
    )
  }
  const sandbox = readSandbox(values, local, values.NEXTAUTH_SECRET)
  return {
    vaspName: values.VASP_NAME,
    /**
     * Short name of this instance, used in cookie names and the data folder, so that two instances can share one
     * localhost.
     */
    instance,
    /** The colour of links and buttons, which tells two instances apart. */
    accent: values.VASP_ACCENT,
    /** Host with an optional port: `aud` and `iss` of every token, and the domain of every UMA address. */
    vaspDomain,
    /** The origin that browsers use. Every URL we publish is built from it, never from a request. */
    publicOrigin,
    port: values.PORT,
    /** Undefined: both loopback addresses when `SANDBOX_TOOLS` is `on`, all addresses otherwise. */
    host: values.HOST,
    /** Undefined: no metrics are counted or served. */
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    gatewayRootUrl: readGatewayRoot(values.GATEWAY_ROOT_URL ?? 'http://localhost:8080', local, publicOrigin),
    apiBasePath: '/umanwc/v1' as const,
    databaseUrl: readDatabaseUrl(values.DATABASE_URL),
    dataDir: values.DATA_DIR ?? `.data/${instance}`,
    ...sandbox,
    /** The temporary users of a sandbox. */
    sandboxUsers: {
      /** Maximum number created from one client address. */
      perMinute: values.SANDBOX_USERS_PER_MINUTE,
      maxLiving: values.SANDBOX_USERS_MAX,
      /** A user is closed after being unused for this long. */
      unusedHours: values.SANDBOX_USER_HOURS,
    },
    nextAuthSecret: values.NEXTAUTH_SECRET,
    jwtPublicKeyPem: values.JWT_PUBLIC_KEY,
    jwtPublicKeyPreviousPem: values.JWT_PUBLIC_KEY_PREVIOUS,
    jwtPrivateKeyPem: values.JWT_PRIVATE_KEY,
    lightningNodeKeyHex: values.LIGHTNING_NODE_KEY,
    /** The other simulated nodes that this one pays and is paid by. */
    lightningPeers: readPeers(values.LIGHTNING_PEERS, local),
    /** The maximum that one peer may owe us, in millisatoshis. */
    lightningPeerLimitMsats: values.LIGHTNING_PEER_LIMIT_MSATS,
    /** A real node. Undefined: the simulated one. */
    lnd: readLnd(values),
    /** How long a pay request waits for the outcome of its payment. */
    paymentWaitSeconds: values.PAYMENT_WAIT_SECONDS,
    /** Private keys on the curve secp256k1. Without both, UMA is off. */
    umaSigningKeyHex: values.UMA_SIGNING_KEY,
    umaEncryptionKeyHex: values.UMA_ENCRYPTION_KEY,
    /** Whether users create and pay UMA invoices, and request money. */
    umaInvoices: values.UMA_INVOICES !== 'off',
    /** Domains that are called over http and may have local addresses: the other VASPs of a sandbox. */
    umaLocalPeers: readLocalPeers(values.UMA_LOCAL_PEERS, local),
    /** How long a quote is valid. */
    quoteSeconds: values.QUOTE_SECONDS,
    /** The fee in a quote, in basis points, when the currencies differ. */
    fxSpreadBps: values.FX_SPREAD_BPS,
    /** The fee in a quote, in basis points, when the payment leaves this VASP. */
    routingFeeBps: values.ROUTING_FEE_BPS,
    /** The fee on a payment received from another VASP or over plain LNURL, in basis points. */
    receiveFeeBps: values.RECEIVE_FEE_BPS,
    maxOpenPaymentsPerUser: values.MAX_OPEN_PAYMENTS_PER_USER,
    /** The token exchange refuses to create further connections. */
    maxActiveConnectionsPerUser: values.MAX_ACTIVE_CONNECTIONS_PER_USER,
    /** How long a server keeps serving after a stop signal, while `/-/serving` answers 503. */
    drainSeconds: values.DRAIN_SECONDS,
    apiAllowedNetworks: readNetworks('API_ALLOWED_NETWORKS', values.API_ALLOWED_NETWORKS),
    trustedProxies: readNetworks('TRUSTED_PROXIES', values.TRUSTED_PROXIES),
    balanceDefaultUnit: values.BALANCE_DEFAULT_UNIT,
    rateLimits: values.RATE_LIMITS !== 'off',
    /** A sample app to try the wallet with. The home page of a sandbox links to it. */
    sampleAppUrl: values.SAMPLE_APP_URL,
    /** The gateway's relay, for the gateway kit of a sandbox. */
    gatewayRelayUrl: values.GATEWAY_RELAY_URL,
    /** Whether a new database of a sandbox begins with a month of example movements. */
    exampleMonth: values.SANDBOX_EXAMPLE_MONTH === 'on',
    /** Relays on which apps publish what they call themselves. */
    identityRelays: readRelays(values.IDENTITY_RELAYS),
    logLevel: values.LOG_LEVEL,
  }
}

/** An LND as the Lightning node. */
export interface LndSettings {
  /** Scheme, host and port of its REST interface. */
  readonly url: string
  readonly macaroonFile: string
  readonly tlsCertFile: string
}

function readLnd(values: z.infer<typeof Environment>): LndSettings | undefined {
  const { LND_URL, LND_MACAROON_FILE: macaroonFile, LND_TLS_CERT_FILE: tlsCertFile } = values
  if (LND_URL === undefined && macaroonFile === undefined && tlsCertFile === undefined) return undefined
  const together = 'set LND_URL, LND_MACAROON_FILE and LND_TLS_CERT_FILE, or none of them'
  if (LND_URL === undefined) throw wrong('LND_URL', 'is missing', together)
  if (macaroonFile === undefined) throw wrong('LND_MACAROON_FILE', 'is missing', together)
  if (tlsCertFile === undefined) throw wrong('LND_TLS_CERT_FILE', 'is missing', together)
  const url = parseUrl(LND_URL)
  if (url === undefined || url.href !== `${url.origin}/` || url.protocol !== 'https:')
    throw wrong('LND_URL', 'is not an https origin', 'use scheme, host and port only, such as https://localhost:8080')
  return { url: url.origin, macaroonFile, tlsCertFile }
}

interface SandboxSettings {
  readonly sandboxTools: boolean
  /** The password that protects a shared sandbox (`SANDBOX_TOOLS=private`); undefined for any other server. */
  readonly teamPassword: string | undefined
  /** The password shown on the sign-in page. Undefined when none may be shown. */
  readonly printedPassword: string | undefined
  readonly defaultPasswordsAllowed: boolean
}

/** `on` for one machine, `private` for a team's server behind a password, `off` for a public server. */
function readSandbox(values: z.infer<typeof Environment>, local: boolean, secret: string): SandboxSettings {
  const mode = values.SANDBOX_TOOLS ?? (local ? 'on' : 'off')
  if (mode === 'off')
    return { sandboxTools: false, teamPassword: undefined, printedPassword: undefined, defaultPasswordsAllowed: false }
  // Normalized, as in the later comparison, so that another Unicode spelling counts as the same password.
  const password = values.SANDBOX_PASSWORD?.normalize('NFKC')
  if (mode === 'on') {
    const isLoopback = values.HOST === undefined || LOOPBACK_HOST.test(values.HOST)
    if (!local || !isLoopback)
      throw wrong(
        'SANDBOX_TOOLS',
        'is on, but others can reach this server',
        'set it to private and set SANDBOX_TEAM_PASSWORD, or set it to off',
      )
    return {
      sandboxTools: true,
      teamPassword: undefined,
      printedPassword: password ?? DEFAULT_PASSWORD,
      defaultPasswordsAllowed: true,
    }
  }
  const teamPassword = values.SANDBOX_TEAM_PASSWORD?.normalize('NFKC')
  if (teamPassword === undefined || teamPassword.length < 12)
    throw wrong(
      'SANDBOX_TEAM_PASSWORD',
      'is missing or shorter than 12 characters',
      'set one, because SANDBOX_TOOLS is private',
    )
  if (password !== undefined && password.length < 12)
    throw wrong(
      'SANDBOX_PASSWORD',
      'is shorter than 12 characters',
      'set a longer one, or leave it out for a random one, because SANDBOX_TOOLS is private',
    )
  if (password === teamPassword)
    throw wrong('SANDBOX_TEAM_PASSWORD', 'is the same as SANDBOX_PASSWORD', 'set two different passwords')
  return {
    sandboxTools: true,
    teamPassword,
    printedPassword: password ?? randomPassword(secret),
    defaultPasswordsAllowed: false,
  }
}

/** The same on all instances and after each restart. It cannot be guessed without the session secret. */
function randomPassword(secret: string): string {
  return createHmac('sha256', secret).update('seeded-users').digest('base64url').slice(0, 20)
}

function readLocalPeers(raw: string | undefined, local: boolean): string[] {
  const domains = (raw ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (domains.some((domain) => !DOMAIN.test(domain)))
    throw wrong('UMA_LOCAL_PEERS', 'is not a list of hosts', 'use hosts with ports, separated by commas')
  if (domains.length > 0 && !local)
    throw wrong(
      'UMA_LOCAL_PEERS',
      'is set, but VASP_DOMAIN is public',
      'leave UMA_LOCAL_PEERS out, because other VASPs are called over https',
    )
  return domains
}

function wrong(variable: string, problem: string, mend: string): SettingsError {
  return new SettingsError(`${variable} ${problem}: ${mend}.`)
}

function readPublicOrigin(raw: string | undefined, vaspDomain: string, local: boolean): string {
  const url = parseUrl(raw ?? `${local ? 'http' : 'https'}://${vaspDomain}`)
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw wrong('NEXTAUTH_URL', 'is not an origin', 'use scheme and host only, such as https://vasp.example')
  }
  if (url.host !== vaspDomain) {
    throw wrong('NEXTAUTH_URL', 'names a different host than VASP_DOMAIN', 'give both the same host and port')
  }
  if (url.protocol !== 'https:' && !local) {
    throw wrong('NEXTAUTH_URL', 'is not https for a public VASP_DOMAIN', 'use https://')
  }
  return url.origin
}

function readGatewayRoot(raw: string, local: boolean, publicOrigin: string): URL {
  const url = parseUrl(raw)
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw wrong(
      'GATEWAY_ROOT_URL',
      'is not a plain http(s) URL',
      "use the gateway's public root, such as http://localhost:8080",
    )
  }
  if (url.protocol !== 'https:' && !local) {
    throw wrong(
      'GATEWAY_ROOT_URL',
      'is not https, but VASP_DOMAIN is public',
      'use https://, because tokens travel in that URL',
    )
  }
  if (url.origin === publicOrigin) {
    throw wrong('GATEWAY_ROOT_URL', 'is this VASP itself, so logins would return here', "use the gateway's own origin")
  }
  return url
}

/** `<public key>@<origin>`, separated by commas. */
function readPeers(raw: string | undefined, local: boolean): LightningPeer[] {
  const peers = (raw ?? '').split(',').filter((each) => each.trim() !== '')
  return peers.map((each) => {
    const [, publicKeyHex, address = ''] = /^(0[23][0-9a-f]{64})@(.+)$/.exec(each.trim()) ?? []
    const url = parseUrl(address)
    if (publicKeyHex === undefined || url === undefined || url.href !== `${url.origin}/`) {
      throw wrong('LIGHTNING_PEERS', 'is not a list of peers', 'use <public key>@<origin>,… with keys of 66 hex digits')
    }
    if (url.protocol !== 'https:' && !local) {
      throw wrong('LIGHTNING_PEERS', 'has an origin that is not https, but VASP_DOMAIN is public', 'use https://')
    }
    return { publicKeyHex, origin: url.origin }
  })
}

const MAX_RELAYS = 5

function readRelays(raw: string | undefined): string[] {
  const relays = (raw ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (relays.length > MAX_RELAYS || relays.some((each) => !/^wss?:\/\/[^#]+$/.test(each) || !URL.canParse(each)))
    throw wrong(
      'IDENTITY_RELAYS',
      'is not a list of relays',
      `use at most ${MAX_RELAYS} ws(s) addresses, separated by commas`,
    )
  return relays
}

function readDatabaseUrl(raw: string | undefined): string | undefined {
  if (raw === undefined || /^postgres(ql)?:\/\/./.test(raw)) return raw
  throw wrong(
    'DATABASE_URL',
    'is not a PostgreSQL URL',
    'use postgresql://user:password@host:5432/name, or leave it out for the embedded database',
  )
}

function readNetworks(variable: string, raw: string | undefined): readonly Network[] {
  const networks = parseNetworks(raw ?? '')
  // An API_ALLOWED_NETWORKS that names no network would silently allow every network.
  if (networks === undefined || (raw !== undefined && networks.length === 0))
    throw wrong(
      variable,
      'is not a list of networks',
      'use addresses or CIDR ranges separated by commas, such as 10.0.0.0/8,::1',
    )
  return networks
}

function parseUrl(raw: string): URL | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  return url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}
