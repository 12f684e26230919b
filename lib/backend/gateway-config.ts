import type { Settings } from '../platform/config'

/** The settings of a gateway in front of this VASP. They contain no secret of the VASP. */
export interface GatewayConfig {
  /** The settings from `gatewaySettings`, which follow from the VASP's own. */
  readonly filled: Readonly<Record<string, string>>
  readonly commands: readonly string[]
  /** The port on which the gateway listens. */
  readonly port: string
  /** URL of the gateway's relay; undefined when the operator chooses it. */
  readonly relay: string | undefined
  /** The gateway's own keys; undefined when the operator generates them. */
  readonly keys: GatewayKeys | undefined
}

interface GatewayKeys {
  readonly NOSTR_PRIVKEY: string
  readonly SECRET_KEY: string
  /** The file that holds the keys. */
  readonly path: string
}

interface VaspFacts {
  readonly origin: string
  readonly apiBasePath: string
  readonly domain: string
  readonly name: string
  readonly gatewayRoot: string
  /** PEM. Line breaks may be written as `\n`. */
  readonly publicKey: string
}

const GENERATE_KEYS =
  "# Generate each once and keep it: with another NOSTR_PRIVKEY every pairing ends. python3 -c 'import secrets; print(secrets.token_hex(32))'"
const PAYMENT_WAIT = [
  '# This gateway carries out one request at a time. Start the VASP with PAYMENT_WAIT_SECONDS=30, so that one payment to a silent',
  '# node does not stop all other calls for 240 seconds.',
]
/** The port inside the public gateway's image, and behind a proxy that terminates TLS. */
const PLAIN_PORT = '8080'

/** The settings of a gateway that follow from the VASP's, under the names of the public gateway (uma-nwc-server). */
export function gatewaySettings(vasp: VaspFacts): Record<string, string> {
  const api = `${vasp.origin}${vasp.apiBasePath}`
  return {
    NWC_APP_ROOT_URL: vasp.gatewayRoot,
    UMA_VASP_LOGIN_URL: `${vasp.origin}/connect`,
    UMA_VASP_TOKEN_EXCHANGE_URL: `${api}/token`,
    VASP_UMA_API_BASE_URL: api,
    UMA_VASP_JWT_PUBKEY: vasp.publicKey,
    UMA_VASP_JWT_AUD: vasp.domain,
    UMA_VASP_JWT_ISS: vasp.domain,
    VASP_NAME: vasp.name,
  }
}

type VaspSettings = Pick<
  Settings,
  'publicOrigin' | 'apiBasePath' | 'vaspDomain' | 'vaspName' | 'gatewayRootUrl' | 'jwtPublicKeyPem'
>

/** `gatewaySettings` of this server. */
export function gatewaySettingsOf(settings: VaspSettings): Record<string, string> {
  return gatewaySettings({
    origin: settings.publicOrigin,
    apiBasePath: settings.apiBasePath,
    domain: settings.vaspDomain,
    name: settings.vaspName,
    gatewayRoot: settings.gatewayRootUrl.href.replace(/\/$/, ''),
    publicKey: settings.jwtPublicKeyPem ?? '',
  })
}

/** The port of a URL, including the default port of its scheme. */
export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}

/** The Python file that the public gateway reads. */
export function pythonConfig(config: GatewayConfig): string {
  const { relay, keys } = config
  return fileOf([
    `# Settings of the public UMA Auth gateway (uma-nwc-server) in front of ${vaspName(config)}. Save this as gateway.py.`,
    '# Set the values under "Set these yourself". Then run in the folder of the gateway:',
    '#   QUART_APP=nwc_backend QUART_CONFIG=/absolute/path/gateway.py alembic upgrade head',
    `#   QUART_CONFIG=/absolute/path/gateway.py uvicorn nwc_backend.server:app --port ${listenPort(config)}`,
    ...PAYMENT_WAIT,
    ...filledLines(config),
    ...(relay === undefined ? [] : [assign('RELAY', relay)]),
    ...(keys === undefined ? [] : keyLines(keys)),
    '',
    '# Set these yourself.',
    ...ownLines(config),
    '# The database: a folder that exists, or postgresql+asyncpg://…',
    assign('DATABASE_URI', 'sqlite+aiosqlite:////absolute/path/gateway.sqlite'),
    '# The web app, built. The default is right in the Docker image only. A relative path starts at the nwc_backend folder.',
    assign('FRONTEND_BUILD_PATH', '../nwc-frontend/dist'),
  ])
}

/** Where a host keeps the gateway's database: the state folder of deploy/vasp-gateway.service, and a volume in compose.yaml. */
const HOST_DATABASE = 'sqlite+aiosqlite:////var/lib/vasp-gateway/gateway.sqlite'
/** The gateway's largest request body has an app's name, permissions and budget. */
const HOST_BODY_BYTES = 65_536

export interface HostConfig extends GatewayConfig {
  readonly relay: string
  readonly keys: GatewayKeys
  /** The origin of the VASP's pages. */
  readonly vaspOrigin: string
  /** A file with the authority that signed the VASP's certificate; undefined for a public authority. */
  readonly authorityFile: string | undefined
}

/** The Python file of a host, with every setting of the gateway. deploy/vasp-gateway.service and compose.yaml use it as it is. */
export function hostConfig(config: HostConfig): string {
  const { relay, keys, vaspOrigin, authorityFile } = config
  return fileOf([
    `# Settings of the public UMA Auth gateway (uma-nwc-server) in front of ${vaspName(config)}, written by npm run gateway:config.`,
    '# It contains the keys of the gateway. Another run of the command replaces this file and keeps the keys.',
    ...PAYMENT_WAIT,
    ...filledLines(config),
    assign('VASP_LOGO_URL', `${vaspOrigin}/icon.svg`),
    assign('RELAY', relay),
    ...keyLines(keys),
    assign('DATABASE_URI', HOST_DATABASE),
    '# Relative to the folder nwc_backend: as in the image of the gateway.',
    assign('FRONTEND_BUILD_PATH', '../static'),
    '# No authority of apps (NIP-68): an app is shown as unverified.',
    'CLIENT_APP_AUTHORITIES = []',
    '# The estimate of this VASP already contains the largest fee.',
    'BUDGET_BUFFER_MULTIPLIER = 1',
    `MAX_CONTENT_LENGTH = ${HOST_BODY_BYTES}`,
    ...(authorityFile === undefined ? [] : [assign('INTERNAL_CA_FILE', authorityFile)]),
  ])
}

/** The same settings as environment variables, as the simulator of this repository reads them. */
export function envConfig(config: GatewayConfig): string {
  const { commands, port, relay, keys } = config
  return fileOf([
    `# Settings of a gateway in front of ${vaspName(config)}, for a gateway that reads environment variables, such as the simulator`,
    '# (sandbox/gateway). The public gateway (uma-nwc-server) reads the Python file only.',
    variable('GATEWAY_PORT', port),
    ...Object.entries(withBasePath(config)).map(([name, value]) => variable(name, value)),
    variable('VASP_SUPPORTED_COMMANDS', commands.join(',')),
    variable('RELAY', relay ?? 'wss://relay.example'),
    ...(keys === undefined ? [GENERATE_KEYS, '# NOSTR_PRIVKEY='] : [variable('NOSTR_PRIVKEY', keys.NOSTR_PRIVKEY)]),
  ])
}

/** The public gateway with Docker Compose, its Python file included. */
export function composeConfig(config: GatewayConfig): string {
  const { relay, keys, filled } = config
  const isLocal = [filled.VASP_UMA_API_BASE_URL ?? '', relay ?? ''].some(isOnThisMachine)
  const address = isLocal ? `127.0.0.1:${listenPort(config)}` : `0.0.0.0:${PLAIN_PORT}`
  const python = [
    ...filledLines(config),
    ...(relay === undefined ? [] : [assign('RELAY', relay)]),
    ...(keys === undefined ? [] : keyLines(keys)),
    ...ownLines(config),
    assign('DATABASE_URI', 'sqlite+aiosqlite:////data/gateway.sqlite'),
  ]
  return fileOf([
    `# The public UMA Auth gateway (uma-nwc-server) in front of ${vaspName(config)}. Save this as compose.yaml, fill in the empty`,
    '# values, then run: docker compose up --build. Needs Docker Compose 2.23.1 or newer.',
    ...PAYMENT_WAIT,
    'services:',
    '  gateway:',
    '    build: https://github.com/uma-universal-money-address/uma-nwc-server.git',
    ...(isLocal
      ? ['    # The VASP or its relay listens on the loopback of this machine.', '    network_mode: host']
      : [`    ports: ["${listenPort(config)}:${PLAIN_PORT}"]`]),
    '    environment:',
    '      QUART_APP: nwc_backend',
    '      QUART_CONFIG: /etc/gateway.py',
    '    configs:',
    '      - source: gateway_py',
    '        target: /etc/gateway.py',
    '    volumes: ["gateway:/data"]',
    '    entrypoint: ["sh", "-c"]',
    '    command:',
    `      - alembic upgrade head && exec gunicorn -b ${address} -k uvicorn.workers.UvicornWorker nwc_backend.server:app`,
    'configs:',
    '  gateway_py:',
    '    content: |',
    // Compose reads `$` as the start of a variable.
    ...python.map((line) => `      ${line.replaceAll('$', '$$$$')}`),
    'volumes:',
    '  gateway:',
  ])
}

function filledLines(config: GatewayConfig): string[] {
  return [
    ...Object.entries(withBasePath(config)).map(([name, value]) => assign(name, value)),
    `VASP_SUPPORTED_COMMANDS = [${config.commands.map(literal).join(', ')}]`,
  ]
}

function keyLines({ NOSTR_PRIVKEY, SECRET_KEY, path }: GatewayKeys): string[] {
  return [
    `# The gateway's own keys, kept in ${oneLine(path)}. With other keys every pairing ends.`,
    assign('NOSTR_PRIVKEY', NOSTR_PRIVKEY),
    assign('SECRET_KEY', SECRET_KEY),
  ]
}

/** Settings that this VASP cannot know. The operator fills them in. */
function ownLines({ relay, keys }: GatewayConfig): string[] {
  return [
    ...(relay === undefined ? [assign('RELAY', 'wss://relay.example')] : []),
    ...(keys === undefined ? [GENERATE_KEYS, assign('NOSTR_PRIVKEY', ''), assign('SECRET_KEY', '')] : []),
  ]
}

function withBasePath({ filled }: GatewayConfig): Readonly<Record<string, string>> {
  const basePath = new URL(filled.NWC_APP_ROOT_URL ?? '').pathname.replace(/\/$/, '')
  return basePath === '' ? filled : { ...filled, BASE_PATH: basePath }
}

/** The port of the gateway's process. A proxy in front of the gateway terminates TLS. */
function listenPort({ filled, port }: GatewayConfig): string {
  return filled.NWC_APP_ROOT_URL?.startsWith('https:') && port === '443' ? PLAIN_PORT : port
}

function isOnThisMachine(address: string): boolean {
  return /^\w+:\/\/(localhost|127\.|\[::1\])/.test(address)
}

function vaspName({ filled }: GatewayConfig): string {
  return oneLine(filled.VASP_NAME ?? 'this VASP')
}

function fileOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

function assign(name: string, value: string): string {
  return `${name} = ${literal(value)}`
}

/** In single quotes, which shells, Docker and Node parse in the same way. Only a URL can contain such a quote. */
function variable(name: string, value: string): string {
  return `${name}='${value.trim().replaceAll('\n', '\\n').replaceAll("'", '%27')}'`
}

/** A text for a one-line comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ')
}

/** A Python string literal; the settings hold no control characters other than line breaks. */
function literal(value: string): string {
  return `"${value.replaceAll('\\n', '\n').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
