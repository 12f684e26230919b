import { describe, expect, it } from 'vitest'
import { newKeyPair } from '@/test/keys'
import { makeLog } from './log'
import { loadSettings } from './settings'

function linesOf(write: (log: ReturnType<typeof makeLog>) => void): string {
  const lines: string[] = []
  write(makeLog('debug', 'test', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

describe('the log', () => {
  it.each([
    'authorization',
    'token',
    'cookie',
    'password',
    'preimage',
    'secret',
    'privateKey',
    'databaseUrl',
    'passwordHash',
    'redirectUri',
  ])('never writes a field named %s', (field) => {
    const text = linesOf((log) =>
      log.info({ [field]: 'canary', request: { [field]: 'canary', deep: { [field]: 'canary' } } }, 'x'),
    )
    expect(text).not.toContain('canary')
    expect(text).toContain('[redacted]')
  })

  it('cuts tokens and URL passwords out of errors and their causes', () => {
    const token = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`
    const cause = new Error('connect postgresql://vasp:canary@db:5432/x failed')
    const text = linesOf((log) => log.error({ error: new Error(`bad ${token}`, { cause }) }, 'x'))
    expect(text).not.toContain('canary')
    expect(text).not.toContain('eyJ')
    expect(text).toContain('connect postgresql://vasp:[redacted]@db:5432/x failed')
  })

  it('holds no secret of the settings, even when somebody logs them whole', () => {
    const { privatePem } = newKeyPair()
    const { gatewayRootUrl, ...settings } = loadSettings({
      NEXTAUTH_SECRET: 'canary of at least thirty-two characters',
      JWT_PRIVATE_KEY: privatePem,
      LIGHTNING_NODE_KEY: 'c'.repeat(64),
      SANDBOX_PASSWORD: 'canary password',
      DATABASE_URL: 'postgresql://vasp:canary@db:5432/x',
    })
    const text = linesOf((log) => {
      log.info({ ...settings, gatewayRootUrl: gatewayRootUrl.href }, 'x')
      log.info({ settings }, 'x')
      log.info({ deps: { settings } }, 'x')
    })
    expect(text).toContain('northbank')
    expect(text).not.toContain('canary')
    expect(text).not.toContain('c'.repeat(64))
    expect(text).not.toContain('PRIVATE KEY')
  })

  it('keeps a huge message short', () => {
    expect(linesOf((log) => log.error({ error: new Error('x'.repeat(1_000_000)) }, 'x')).length).toBeLessThan(6_000)
  })
})
