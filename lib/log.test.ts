import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
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

describe('a log that nobody reads', () => {
  const WRITER = `
    const { makeLog } = await import('./lib/log')
    const log = makeLog('info', 'test')
    const text = 'x'.repeat(1_000)
    const before = process.memoryUsage.rss()
    for (let line = 0; line < 60_000; line++) {
      log.info({ text, line }, 'a line')
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    console.error(Math.round((process.memoryUsage.rss() - before) / 1e6))
    setInterval(() => {}, 1_000)
  `

  it('keeps a few megabytes of it, loses the rest, and says how much when it is read again', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', WRITER])
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdout.pause()
    const [grown] = (await once(child.stderr, 'data')) as [Buffer]
    expect(Number(String(grown))).toBeLessThan(60)
    let read = ''
    child.stdout.on('data', (chunk: Buffer) => (read += String(chunk))).resume()
    await expect.poll(() => read, { timeout: 10_000 }).toContain('lines of this log are lost')
    const lines = read.split('\n').filter((line) => line.includes('"a line"')).length
    const lost = Number(/"lines":(\d+)/.exec(read)?.[1])
    expect(lines + lost).toBe(60_000)
    expect(lost).toBeGreaterThan(40_000)
  }, 30_000)
})
