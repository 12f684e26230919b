import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newKeyPair } from '@/test/vasp/keys'
import { loadSettings } from './config'
import { errorText } from './journal.js'
import { makeLog } from './log'

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
  ])('redacts a field named %s', (field) => {
    const text = linesOf((log) =>
      log.info({ [field]: 'canary', request: { [field]: 'canary', deep: { [field]: 'canary' } } }, 'x'),
    )
    expect(text).not.toContain('canary')
    expect(text).toContain('[redacted]')
  })

  it('removes tokens and URL passwords from errors and their causes', () => {
    const token = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`
    const cause = new Error('connect postgresql://vasp:canary@db:5432/x failed')
    const text = linesOf((log) => log.error({ error: new Error(`bad ${token}`, { cause }) }, 'x'))
    expect(text).not.toContain('canary')
    expect(text).not.toContain('eyJ')
    expect(text).toContain('connect postgresql://vasp:[redacted]@db:5432/x failed')
  })

  it.each([
    'pg://vasp:canary@db/x',
    'pg://vasp@bank.example:canary@db',
    'pg://vasp:canary//1@db',
    'a,pg://a:canary@b,pg://c:canary@d',
  ])('removes the passwords of %s, also where the length of a line ends', (url) => {
    for (const length of [0, 1_980, 1_985, 1_990, 1_995]) {
      const message = `${'x'.repeat(length)} ${url} http://later:1/x`
      expect(linesOf((log) => log.error({ error: new Error(message) }, 'x'))).not.toContain('cana')
    }
  })

  it('contains no secret when the settings are logged as a whole', () => {
    const { privatePem } = newKeyPair()
    const {
      gatewayRootUrl,
      host: _host,
      ...settings
    } = loadSettings({
      NEXTAUTH_SECRET: 'canary of at least thirty-two characters',
      JWT_PRIVATE_KEY: privatePem,
      LIGHTNING_NODE_KEY: 'c'.repeat(64),
      SANDBOX_PASSWORD: 'canary password',
      DATABASE_URL: 'postgresql://vasp:canary@db:5432/x',
    })
    const text = linesOf((log) => {
      log.info({ ...settings, gatewayRootUrl: gatewayRootUrl.href }, 'x')
      log.info({ settings }, 'x')
      log.info({ app: { settings } }, 'x')
    })
    expect(text).toContain('northbank')
    expect(text).not.toContain('canary')
    expect(text).not.toContain('c'.repeat(64))
    expect(text).not.toContain('PRIVATE KEY')
  })

  it('shortens a huge message', () => {
    expect(linesOf((log) => log.error({ error: new Error('x'.repeat(1_000_000)) }, 'x')).length).toBeLessThan(6_000)
  })
})

/** Starts a process that runs the script with a log. */
function startWriter(script: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, writerArgs(script))
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function writerArgs(script: string): string[] {
  const start = `const { makeLog } = await import('./lib/platform/log')\nconst log = makeLog('info', 'test')\n${script}`
  return ['--import', 'tsx', '--input-type=module', '-e', start]
}

describe('a log whose reader stalls or ends', () => {
  const FLOOD = `
    const text = 'x'.repeat(1_000)
    const before = process.memoryUsage.rss()
    for (let line = 0; line < 60_000; line++) {
      log.info({ text, line }, 'a line')
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    console.error(Math.round((process.memoryUsage.rss() - before) / 1e6))`
  const STAY = `
    setInterval(() => {}, 1_000)`
  const STOP_WHEN_TOLD = `
    process.once('SIGTERM', () => {
      log.info('stopping')
      process.exit(3)
    })
    console.error('started')`

  it('buffers a few megabytes, drops further lines, and logs their number when the reader continues', async () => {
    const child = startWriter(FLOOD + STAY)
    child.stdout.pause()
    const [grown] = (await once(child.stderr, 'data')) as [Buffer]
    expect(Number(String(grown))).toBeLessThan(60)
    let read = ''
    child.stdout.on('data', (chunk: Buffer) => (read += String(chunk))).resume()
    await expect.poll(() => read).toContain('log lines were dropped')
    const lines = read.split('\n').filter((line) => line.includes('"a line"')).length
    const lost = Number(/"lines":(\d+)/.exec(read)?.[1])
    expect(lines + lost).toBe(60_000)
    expect(lost).toBeGreaterThan(40_000)
  })

  it('does not keep its process alive when the reader stalls', async () => {
    const child = startWriter(STOP_WHEN_TOLD + FLOOD + STAY)
    child.stdout.pause()
    await once(child.stderr, 'data')
    child.stdout.pause()
    // The process writes its memory use after the flood.
    await once(child.stderr, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([3, null])
  })

  it('does not keep its process alive when the reader has just ended or ended earlier', async () => {
    for (const isClosed of [false, true]) {
      const child = startWriter(STOP_WHEN_TOLD + STAY)
      await once(child.stderr, 'data')
      child.stdout.destroy()
      if (isClosed) await once(child.stdout, 'close')
      child.kill('SIGTERM')
      expect(await once(child, 'exit'), `${isClosed}`).toEqual([3, null])
    }
  })
})

it.runIf(process.platform === 'linux')('a log on a full disk neither ends nor blocks its process', async () => {
  const full = openSync('/dev/full', 'w')
  const script = `log.warn('no room for this')
    setTimeout(() => {
      log.info('nor for this')
      process.exit(4)
    }, 300)`
  const child = spawn(process.execPath, writerArgs(script), { stdio: ['ignore', full, 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  closeSync(full)
  expect(await once(child, 'exit')).toEqual([4, null])
})

it('the last lines of a log are written when its process ends', async () => {
  const child = startWriter("log.info('first')\nlog.info('last')\nprocess.exit(0)")
  const text = await readText(child.stdout)
  expect([...text.matchAll(/"msg":"(.*?)"/g)].map(([, message]) => message)).toEqual(['first', 'last'])
})

describe('the output that the journal of systemd reads', () => {
  /** Runs a process whose stdout and stderr are one file, as with systemd one socket, and returns what it wrote. */
  async function written(args: readonly string[], journal: (file: string) => string, cwd?: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'journal')
    const file = openSync(path, 'a')
    const { dev, ino } = fstatSync(file, { bigint: true })
    const env = { ...process.env, JOURNAL_STREAM: journal(`${dev}:${ino}`) }
    const child = spawn(process.execPath, args, { stdio: ['ignore', file, file], env, cwd: cwd ?? process.cwd() })
    await once(child, 'exit')
    closeSync(file)
    return readFileSync(path, 'utf8')
  }
  const starts = (text: string): string[] => text.split(/(?<=\n)/).map((line) => line.slice(0, 4))
  const LINES = "log.info('a')\nlog.warn({ x: 1 }, 'b')\nlog.error('c')\nlog.info('d')\nprocess.exit(0)"

  it('has the priority of each line', async () => {
    const text = await written(writerArgs(LINES), (itself) => itself)
    const lines = [...text.matchAll(/^(<\d>)\{.*"msg":"(\w)"\}$/gm)].map(
      ([, priority, message]) => `${message} ${priority}`,
    )
    // The last lines of a process may overtake those that are being written when it ends.
    expect(lines.toSorted()).toEqual(['a <6>', 'b <4>', 'c <3>', 'd <6>'])
  })

  it.each(['1:2', '', 'nonsense'])('is JSON only when the journal reads another output (%s)', async (other) => {
    expect(starts(await written(writerArgs(LINES), () => other))).toEqual(Array.from({ length: 4 }, () => '{"le'))
  })

  it('has the priority of an error for each line of a start that fails', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'no-build-'))
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }))
    const text = await written([join(process.cwd(), 'server.js')], (itself) => itself, empty)
    expect(text).toMatch(/^<3>The packages are not installed/)
    expect(errorText('Error: a\n    at b')).toBe('Error: a\n    at b')
  })
})
