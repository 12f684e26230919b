import type { GatewayKeys } from '../gateway-keys'

export interface GatewayConfig {
  /** Settings that follow from the VASP's; GATEWAY_PORT is where the gateway listens and no setting of its own. */
  readonly filled: Readonly<Record<string, string>>
  readonly commands: readonly string[]
  /** What `npm run demo` provides; undefined for a server that the environment configures. */
  readonly demo: { readonly relay: string; readonly keys: GatewayKeys; readonly keysPath: string } | undefined
}

/** Settings of the public gateway for this VASP: the one Python file that it reads. Nothing secret of the VASP is in it. */
export function gatewayConfig({ filled, commands, demo }: GatewayConfig): string {
  const { GATEWAY_PORT: port, VASP_SUPPORTED_COMMANDS: _commands, ...settings } = filled
  const root = new URL(filled.NWC_APP_ROOT_URL ?? '')
  const basePath = root.pathname.replace(/\/$/, '')
  return `${[
    `# Settings of the public UMA Auth gateway (uma-nwc-server) in front of ${oneLine(settings.VASP_NAME ?? 'this VASP')}. Save this as gateway.py.`,
    '# Set the values under "Set these yourself". Then run in the folder of the gateway:',
    '#   QUART_APP=nwc_backend QUART_CONFIG=/absolute/path/gateway.py alembic upgrade head',
    // TLS ends at a proxy before it.
    `#   QUART_CONFIG=/absolute/path/gateway.py uvicorn nwc_backend.server:app --port ${root.protocol === 'https:' && port === '443' ? '8080' : port}`,
    '# This gateway carries out one request at a time. Start the VASP with PAYMENT_WAIT_SECONDS=30, so that one payment to a silent',
    '# node does not stop all other calls for 240 seconds.',
    ...Object.entries(settings).map(([name, value]) => assign(name, value)),
    ...(basePath === '' ? [] : [assign('BASE_PATH', basePath)]),
    `VASP_SUPPORTED_COMMANDS = [${commands.map(literal).join(', ')}]`,
    ...(demo === undefined ? [] : [assign('RELAY', demo.relay), ...keyLines(demo.keys, demo.keysPath)]),
    '',
    '# Set these yourself.',
    ...(demo === undefined ? OWN_RELAY_AND_KEYS : []),
    '# The database: a folder that exists, or postgresql+asyncpg://…',
    assign('DATABASE_URI', 'sqlite+aiosqlite:////absolute/path/gateway.sqlite'),
    '# The web app, built. The default is right in the Docker image only. A relative path starts at the nwc_backend folder.',
    assign('FRONTEND_BUILD_PATH', '../nwc-frontend/dist'),
  ].join('\n')}\n`
}

function keyLines(keys: GatewayKeys, path: string): string[] {
  return [
    `# The gateway's own keys, kept in ${oneLine(path)}. With other keys every pairing ends.`,
    ...Object.entries(keys).map(([name, value]) => assign(name, String(value))),
  ]
}

const OWN_RELAY_AND_KEYS = [
  assign('RELAY', 'wss://relay.example'),
  "# Generate each once and keep it: with another NOSTR_PRIVKEY every pairing ends. python3 -c 'import secrets; print(secrets.token_hex(32))'",
  assign('NOSTR_PRIVKEY', ''),
  assign('SECRET_KEY', ''),
]

function assign(name: string, value: string): string {
  return `${name} = ${literal(value)}`
}

/** In a comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ')
}

/** A Python string literal; the settings hold no control characters other than line ends. */
function literal(value: string): string {
  return `"${value.replaceAll('\\n', '\n').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
