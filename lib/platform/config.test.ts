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
    })
  })

  it('takes blank values for absent ones', () => {
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
    ['LIGHTNING_NODE_KEY', { LIGHTNING_NODE_KEY: 'canary' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'canary' }],
    ['UMA_SIGNING_KEY', { UMA_SIGNING_KEY: 'canary' }],
    ['UMA_ENCRYPTION_KEY', { UMA_ENCRYPTION_KEY: 'canary' }],
    ['UMA_LOCAL_PEERS', { UMA_LOCAL_PEERS: 'http://canary:3001' }],
    [
      'UMA_LOCAL_PEERS',
      { UMA_LOCAL_PEERS: 'canary.local', VASP_DOMAIN: 'vasp.example', GATEWAY_ROOT_URL: 'https://g.example' },
    ],
    ['QUOTE_SECONDS', { QUOTE_SECONDS: '9' }],
    ['API_ALLOWED_NETWORKS', { API_ALLOWED_NETWORKS: '10.0.0.0/8, canary' }],
    ['API_ALLOWED_NETWORKS', { API_ALLOWED_NETWORKS: ',' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'canary' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: ' , ,' }],
    ['GATEWAY_ROOT_URL', { VASP_DOMAIN: 'canary.local:3000', GATEWAY_ROOT_URL: 'http://CANARY.local:3000/nwc' }],
    ['SANDBOX_PASSWORD', { HOST: '0.0.0.0' }],
    ['SANDBOX_PASSWORD', { HOST: '0.0.0.0', SANDBOX_PASSWORD: 'canary' }],
    // Twelve characters as typed, eleven once they are compared.
    ['SANDBOX_PASSWORD', { HOST: '0.0.0.0', SANDBOX_PASSWORD: 'canary-pase\u0301' }],
    ['SANDBOX_PASSWORD', { SANDBOX_TOOLS: 'on', VASP_DOMAIN: 'canary.example', GATEWAY_ROOT_URL: 'https://g.example' }],
  ])('stops the start for a wrong %s, in one line that names it and not its value', (variable, env) => {
    const load = (): unknown => loadSettings({ ...minimal, ...env })
    expect(load).toThrow(new RegExp(`^${variable} .*: .*\\.$`))
    expect(load).not.toThrow(/canary/)
  })

  it('turns the sandbox tools off for a public domain and prints no password then', () => {
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

  it('asks for a password of its own when others can reach a sandbox', () => {
    const settings = loadSettings({ ...minimal, HOST: '0.0.0.0', SANDBOX_PASSWORD: 'a password of our own' })
    expect(settings).toMatchObject({ printedPassword: 'a password of our own', defaultPasswordsAllowed: false })
  })

  it('lets NODE_ENV decide nothing', () => {
    expect(loadSettings({ ...minimal, NODE_ENV: 'production' })).toEqual(
      loadSettings({ ...minimal, NODE_ENV: 'development' }),
    )
  })
})
