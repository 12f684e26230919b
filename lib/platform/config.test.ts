import { describe, expect, it } from 'vitest'
import { loadSettings } from './config'

const SECRET = 'canary-canary-canary-canary-canary'
const minimal = { NEXTAUTH_SECRET: SECRET }

describe('loadSettings', () => {
  it('has the documented defaults', () => {
    expect(loadSettings(minimal)).toMatchObject({
      vaspName: 'Northbank',
      instance: 'northbank',
      port: 3000,
      vaspDomain: 'localhost:3000',
      publicOrigin: 'http://localhost:3000',
      dataDir: '.data/northbank',
      sandboxTools: true,
      printedPassword: 'sandbox',
      balanceDefaultUnit: 'currency',
      rateLimits: true,
      maxActiveConnectionsPerUser: 500,
    })
  })

  it('treats a blank value as an absent one', () => {
    expect(loadSettings({ ...minimal, PORT: '', DATABASE_URL: ' ', JWT_PUBLIC_KEY: '' })).toMatchObject({
      port: 3000,
      databaseUrl: undefined,
      jwtPublicKeyPem: undefined,
    })
  })

  it.each([
    ['NEXTAUTH_SECRET', { NEXTAUTH_SECRET: 'short-canary' }],
    ['NEXTAUTH_SECRET', { NEXTAUTH_SECRET: undefined }],
    ['PORT', { PORT: 'canary' }],
    ['PORT', { PORT: '70000' }],
    ['VASP_NAME', { VASP_NAME: '<canary>' }],
    ['VASP_DOMAIN', { VASP_DOMAIN: 'https://canary.example' }],
    ['NEXTAUTH_URL', { NEXTAUTH_URL: 'canary' }],
    ['NEXTAUTH_URL', { NEXTAUTH_URL: 'http://canary.local:3000' }],
    ['NEXTAUTH_URL', { NEXTAUTH_URL: 'http://localhost:3000/path' }],
    [
      'NEXTAUTH_URL',
      { VASP_DOMAIN: 'canary.example', NEXTAUTH_URL: 'http://canary.example', GATEWAY_ROOT_URL: 'https://g.example' },
    ],
    ['GATEWAY_ROOT_URL', { GATEWAY_ROOT_URL: 'javascript:canary' }],
    ['GATEWAY_ROOT_URL', { GATEWAY_ROOT_URL: 'http://user:canary@localhost:8080' }],
    ['GATEWAY_ROOT_URL', { VASP_DOMAIN: 'canary.example', GATEWAY_ROOT_URL: 'http://g.example' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://root:canary@localhost/x' }],
    ['SANDBOX_TOOLS', { SANDBOX_TOOLS: 'canary' }],
    ['BALANCE_DEFAULT_UNIT', { BALANCE_DEFAULT_UNIT: 'canary' }],
    ['RATE_LIMITS', { RATE_LIMITS: 'canary' }],
    ['UMA_INVOICES', { UMA_INVOICES: 'canary' }],
    ['LIGHTNING_NODE_KEY', { LIGHTNING_NODE_KEY: 'canary' }],
    ['LND_URL', { LND_URL: 'http://canary:8080', LND_MACAROON_FILE: 'a', LND_TLS_CERT_FILE: 'b' }],
    ['LND_URL', { LND_URL: 'https://canary:8080/v1', LND_MACAROON_FILE: 'a', LND_TLS_CERT_FILE: 'b' }],
    ['LND_URL', { LND_URL: 'https://user:canary@localhost', LND_MACAROON_FILE: 'a', LND_TLS_CERT_FILE: 'b' }],
    ['LND_URL', { LND_MACAROON_FILE: 'canary', LND_TLS_CERT_FILE: 'canary' }],
    ['LND_MACAROON_FILE', { LND_URL: 'https://canary:8080', LND_TLS_CERT_FILE: 'canary' }],
    ['LND_TLS_CERT_FILE', { LND_URL: 'https://canary:8080', LND_MACAROON_FILE: 'canary' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'canary' }],
    ['IDENTITY_RELAYS', { IDENTITY_RELAYS: 'https://canary.example' }],
    ['IDENTITY_RELAYS', { IDENTITY_RELAYS: 'wss://canary.example wss://b' }],
    // No socket can be opened with a fragment.
    ['IDENTITY_RELAYS', { IDENTITY_RELAYS: 'wss://canary.example/#b' }],
    ['IDENTITY_RELAYS', { IDENTITY_RELAYS: 'wss://canary.example,'.repeat(6) }],
    ['UMA_SIGNING_KEY', { UMA_SIGNING_KEY: 'canary' }],
    ['UMA_ENCRYPTION_KEY', { UMA_ENCRYPTION_KEY: 'canary' }],
    ['UMA_LOCAL_PEERS', { UMA_LOCAL_PEERS: 'http://canary:3001' }],
    [
      'UMA_LOCAL_PEERS',
      { UMA_LOCAL_PEERS: 'canary.local', VASP_DOMAIN: 'vasp.example', GATEWAY_ROOT_URL: 'https://g.example' },
    ],
    ['QUOTE_SECONDS', { QUOTE_SECONDS: '9' }],
    ['MAX_ACTIVE_CONNECTIONS_PER_USER', { MAX_ACTIVE_CONNECTIONS_PER_USER: '0' }],
    ['MAX_ACTIVE_CONNECTIONS_PER_USER', { MAX_ACTIVE_CONNECTIONS_PER_USER: '10001' }],
    ['API_ALLOWED_NETWORKS', { API_ALLOWED_NETWORKS: '10.0.0.0/8, canary' }],
    ['API_ALLOWED_NETWORKS', { API_ALLOWED_NETWORKS: ',' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'canary' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: ' , ,' }],
    ['GATEWAY_ROOT_URL', { VASP_DOMAIN: 'canary.local:3000', GATEWAY_ROOT_URL: 'http://CANARY.local:3000/nwc' }],
    ['SANDBOX_TOOLS', { HOST: '0.0.0.0' }],
    ['SANDBOX_TOOLS', { HOST: '0.0.0.0', SANDBOX_PASSWORD: 'a password of our own' }],
    ['SANDBOX_TOOLS', { SANDBOX_TOOLS: 'on', VASP_DOMAIN: 'canary.example', GATEWAY_ROOT_URL: 'https://g.example' }],
    ['SANDBOX_TEAM_PASSWORD', { SANDBOX_TOOLS: 'private' }],
    ['SANDBOX_TEAM_PASSWORD', { SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'canary' }],
    // Twelve characters as typed, eleven after normalization.
    ['SANDBOX_TEAM_PASSWORD', { SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'canary-pase\u0301' }],
    [
      'SANDBOX_TEAM_PASSWORD',
      {
        SANDBOX_TOOLS: 'private',
        SANDBOX_TEAM_PASSWORD: 'canary of our team',
        SANDBOX_PASSWORD: 'canary of our team',
      },
    ],
    [
      'SANDBOX_PASSWORD',
      { SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'a team password', SANDBOX_PASSWORD: 'canary' },
    ],
  ])('rejects an invalid %s at startup, with one line that names the variable and not its value', (variable, env) => {
    const load = (): unknown => loadSettings({ ...minimal, ...env })
    expect(load).toThrow(new RegExp(`^${variable} .*: .*\\.$`))
    expect(load).not.toThrow(/canary/)
  })

  it('turns the sandbox tools off for a public domain and then shows no password', () => {
    const settings = loadSettings({
      ...minimal,
      VASP_DOMAIN: 'vasp.example',
      GATEWAY_ROOT_URL: 'https://gateway.example',
    })
    expect(settings).toMatchObject({
      publicOrigin: 'https://vasp.example',
      sandboxTools: false,
      printedPassword: undefined,
      defaultPasswordsAllowed: false,
    })
  })

  it('suggests private or off when SANDBOX_TOOLS is on and the server is reachable from other machines', () => {
    expect(() => loadSettings({ ...minimal, HOST: '0.0.0.0' })).toThrow(
      'SANDBOX_TOOLS is on, but others can reach this server: set it to private and set SANDBOX_TEAM_PASSWORD, or set it to off.',
    )
  })

  it('gives the users of a private sandbox a random password that is the same on every start, unless one is set', () => {
    const team = { ...minimal, HOST: '0.0.0.0', SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'a team password' }
    const settings = loadSettings(team)
    expect(settings).toMatchObject({
      sandboxTools: true,
      teamPassword: 'a team password',
      printedPassword: expect.stringMatching(/^[\w-]{20}$/),
      defaultPasswordsAllowed: false,
    })
    expect(loadSettings(team)).toEqual(settings)
    const other = loadSettings({ ...team, NEXTAUTH_SECRET: 'another secret of 32 characters!' })
    expect(other.printedPassword).not.toBe(settings.printedPassword)
    expect(loadSettings({ ...team, SANDBOX_PASSWORD: 'a password of our own' }).printedPassword).toBe(
      'a password of our own',
    )
  })

  it('reads the relays of apps', () => {
    const IDENTITY_RELAYS = ' ws://localhost:7447, wss://relay.example/path,'
    const { identityRelays } = loadSettings({ ...minimal, IDENTITY_RELAYS })
    expect(identityRelays).toEqual(['ws://localhost:7447', 'wss://relay.example/path'])
  })

  it('takes an LND with all three of its settings, and none by default', () => {
    const lnd = { LND_URL: 'https://localhost:8080/', LND_MACAROON_FILE: '/a', LND_TLS_CERT_FILE: '/b' }
    expect(loadSettings({ ...minimal, ...lnd }).lnd).toEqual({
      url: 'https://localhost:8080',
      macaroonFile: '/a',
      tlsCertFile: '/b',
    })
    expect(loadSettings(minimal).lnd).toBeUndefined()
  })

  it('ignores NODE_ENV', () => {
    expect(loadSettings({ ...minimal, NODE_ENV: 'production' })).toEqual(
      loadSettings({ ...minimal, NODE_ENV: 'development' }),
    )
  })
})
