import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { freePort } from '@/test/programs/free-port'
import { isAlive } from '@/test/programs/is-alive'
import { activityBelow } from '../../scripts/process-table.mjs'
import { createWatch, STILL_AFTER_MS, type Watch } from '../../scripts/progress.mjs'
import { stepLines } from '../demo/process-group'
import {
  exitMessage,
  readable,
  startProcess,
  STOP_PATIENCE_MS,
  stopProcess,
  untilAnswers,
  type RunningProcess,
} from './processes'

const started: RunningProcess[] = []
const servers: Server[] = []
const folder = mkdtempSync(join(tmpdir(), 'processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => stopProcess(each)))
  for (const server of servers.splice(0)) server.close()
})

/** A small process: one line of JavaScript. */
function run(script: string, log?: string): RunningProcess {
  const output = log === undefined ? {} : { logFile: join(folder, log) }
  const running = startProcess('test process', ['--eval', script], process.env, output)
  started.push(running)
  return running
}

const ended = ({ child }: RunningProcess): Promise<void> =>
  new Promise((resolve) => child.once('exit', () => resolve()))

async function serverSaying(text: string): Promise<string> {
  const server = createServer((_request, response) => response.end(text))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const FOR_EVER = 'setInterval(() => {}, 1000)'

/** A watch whose clock moves ten seconds at each look, while `moves` is true. */
function fastWatch(moves: () => boolean = () => true): Watch {
  let ms = 0
  return createWatch({ nowMs: () => (moves() ? (ms += 10_000) : ms) })
}

describe('waiting for a process', () => {
  it('ends when its URL gives the expected answer', async () => {
    await untilAnswers(run(FOR_EVER), await serverSaying('{"ready":true,"checks":{}}'), { says: /"ready":true/ })
  })

  it('does not accept another program’s answer for a process that has ended, and reports its output', async () => {
    const running = run('console.error("PORT 3000 is in use"); process.exit(1)')
    await ended(running)
    await expect(untilAnswers(running, await serverSaying('ok'), { says: /^ok$/ })).rejects.toThrow(
      'The test process did not start:\nPORT 3000 is in use',
    )
  })

  it('does not accept a page as the answer, and reports the URL and the answer', async () => {
    const url = await serverSaying('<p>It works!</p>')
    await expect(untilAnswers(run(FOR_EVER), url, { says: /^ok$/, watch: fastWatch() })).rejects.toThrow(
      `The test process is not ready and nothing changes. ${url} answers 200: <p>It works!</p>`,
    )
  })

  it('goes on for a slow process that works, many times longer than the limit', async () => {
    const running = run('for (;;);')
    const usedMs = (): number => activityBelow(running.child.pid ?? 0)?.cpuMs ?? 0
    // A machine so busy that the process gets a tenth of a processor: 10 ms here are 10 s there, with 1 s of work.
    const thereMs = (): number => usedMs() * 1_000
    const watch = createWatch({
      nowMs: thereMs,
      activityOf: () => ({ cpuMs: usedMs() * 100, bytes: 0, suspended: false }),
    })
    const server = createServer((_request, response) => response.end('ok'))
    servers.push(server)
    const port = await freePort()
    const ready = setInterval(() => {
      if (thereMs() < 5 * STILL_AFTER_MS || server.listening) return
      server.listen(port, '127.0.0.1')
    }, 20)
    await untilAnswers(running, `http://127.0.0.1:${port}/`, { says: /^ok$/, watch })
    clearInterval(ready)
    expect(thereMs()).toBeGreaterThanOrEqual(5 * STILL_AFTER_MS)
  })

  it('kills a process that stands still, and reports its step, its log and what to do', async () => {
    const step = 'Creating the embedded database'
    const running = run(`console.log('one line'); process.send({ step: '${step}' }); ${FOR_EVER}`, 'x.log')
    const watch = fastWatch(() => running.step?.().text === step)
    const url = `http://127.0.0.1:${await freePort()}/`
    await expect(untilAnswers(running, url, { watch })).rejects.toThrow(
      new RegExp(
        `^The test process stands still in the step "${step}": no sign of work for 120 s; its full output is in \\S+x\\.log\\.\none line\n.* Start again: `,
      ),
    )
    await running.closed
    expect(running.child.signalCode).toBe('SIGKILL')
  })

  it('reports that a process is suspended', async () => {
    const running = run(`console.log('up'); ${FOR_EVER}`)
    await new Promise((resolve) => running.child.stdout?.once('data', resolve))
    running.child.kill('SIGSTOP')
    const url = `http://127.0.0.1:${await freePort()}/`
    await expect(untilAnswers(running, url, { watch: fastWatch() })).rejects.toThrow(
      'in the step "Starting": no sign of work for 120 s: it is suspended (SIGSTOP or Ctrl-Z)',
    )
  })
})

describe('the lines while processes start', () => {
  const waitedFor = (name: string, text: string, startedAtMs: number) => ({ name, step: () => ({ text, startedAtMs }) })

  it('name each step once, with its processes and the longest time so far', () => {
    const all = [
      waitedFor('VASP', 'Creating the embedded database', 5_000),
      waitedFor('Southbank', 'Creating the embedded database', 7_000),
      waitedFor('relay', 'Starting', 74_000),
    ]
    expect(stepLines(all, 75_500)).toEqual([
      'Creating the embedded database, 70 s so far (VASP, Southbank)',
      'Starting, 1 s so far (relay)',
    ])
  })
})

describe('the end of a process', () => {
  it('is reported with its signal and its last message', async () => {
    const running = run(
      `console.log(JSON.stringify({ level: 30, msg: 'listening' })); console.log('{"status":200}'); ${FOR_EVER}`,
    )
    await new Promise((resolve) => running.child.stdout?.once('data', resolve))
    running.child.kill('SIGKILL')
    await ended(running)
    expect(exitMessage(running)).toBe('The test process was ended by SIGKILL. Its last message: listening')
  })

  it('is reported with its exit code when it ended by itself', async () => {
    const running = run('process.exit(3)')
    await ended(running)
    expect(exitMessage(running)).toBe('The test process ended with code 3.')
  })

  it('follows the end of the process that started it, even by kill -9', async () => {
    const parent = startProcess('parent', ['--import', 'tsx', 'test/programs/parent-process.ts'], process.env)
    started.push(parent)
    const pid = await new Promise<number>((resolve) =>
      parent.child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
    )
    expect(isAlive(pid)).toBe(true)
    parent.child.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false)
  })
})

describe('a process whose parent ends before it has started', () => {
  it('ends too', async () => {
    const running = run(FOR_EVER)
    // It notices the end of the channel only after it goes on.
    running.child.kill('SIGSTOP')
    running.child.disconnect()
    running.child.kill('SIGCONT')
    await ended(running)
    expect(running.child.signalCode).toBe('SIGTERM')
  })
})

describe('stopping a process', () => {
  // It prints a line when its handler is set; until then a signal would just end it.
  const stubborn = (then: string): string =>
    `process.on('SIGTERM', () => { ${then} }); console.log('ready'); ${FOR_EVER}`
  const ready = ({ child }: RunningProcess): Promise<void> =>
    new Promise((resolve) => child.stdout?.once('data', () => resolve()))

  it('waits for a process that stops slowly', async () => {
    const running = run(stubborn('setTimeout(() => process.exit(0), 300)'))
    await ready(running)
    await stopProcess(running)
    expect([running.child.exitCode, running.child.signalCode]).toEqual([0, null])
  })

  it('kills a process that does not stop in time', async () => {
    const running = run(stubborn(''))
    await ready(running)
    await stopProcess(running, 200)
    expect(running.child.signalCode).toBe('SIGKILL')
  })

  it('waits longer than a VASP does for its payments', () => {
    expect(STOP_PATIENCE_MS).toBeGreaterThan(35_000)
  })
})

describe('the output of a server for readers', () => {
  it('contains the messages of its log and every other line, without the lines of requests', () => {
    const output = [
      '{"level":30,"msg":"listening"}',
      '{"level":30,"step":"Checking the books","msg":"starting"}',
      '{"level":30,"method":"GET","path":"/","status":200,"msg":"API call"}',
      '',
      'Error: no such thing',
      '{"level":50,"msg":"failed","error":{"message":"no room"}}',
    ].join('\n')
    expect(readable(output)).toBe('listening\nChecking the books\nError: no such thing\nfailed: no room')
  })
})
