import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive } from '@/test/is-alive'
import {
  STOP_PATIENCE_MS,
  epitaph,
  readable,
  startProcess,
  stopProcess,
  untilAnswers,
  type RunningProcess,
} from './processes'

const started: RunningProcess[] = []
const servers: Server[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => stopProcess(each)))
  for (const server of servers.splice(0)) server.close()
})

/** A small process: one line of JavaScript. */
function run(script: string): RunningProcess {
  const running = startProcess('test process', ['--eval', script], process.env)
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

describe('waiting for a process', () => {
  it('ends when its URL gives the expected answer', async () => {
    await untilAnswers(run(FOR_EVER), await serverSaying('{"ready":true,"checks":{}}'), 10_000, /"ready":true/)
  })

  it('does not accept another program’s answer for a process that has ended, and reports its output', async () => {
    const running = run('console.error("PORT 3000 is in use"); process.exit(1)')
    await ended(running)
    await expect(untilAnswers(running, await serverSaying('ok'), 10_000, /^ok$/)).rejects.toThrow(
      'The test process did not start:\nPORT 3000 is in use',
    )
  })

  it('does not accept a page as the answer, and reports the URL', async () => {
    const url = await serverSaying('<p>It works!</p>')
    await expect(untilAnswers(run(FOR_EVER), url, 200, /^ok$/)).rejects.toThrow(
      `The test process did not answer at ${url} within 0.2 s`,
    )
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
    expect(epitaph(running)).toBe('The test process was ended by SIGKILL. Its last message: listening')
  })

  it('is reported with its exit code when it ended by itself', async () => {
    const running = run('process.exit(3)')
    await ended(running)
    expect(epitaph(running)).toBe('The test process ended with code 3.')
  })

  it('follows the end of the process that started it, even by kill -9', async () => {
    const parent = startProcess('parent', ['--import', 'tsx', 'test/parent-process.ts'], process.env)
    started.push(parent)
    const pid = await new Promise<number>((resolve) =>
      parent.child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
    )
    expect(isAlive(pid)).toBe(true)
    parent.child.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false)
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
      '{"level":30,"msg":"starting"}',
      '{"level":30,"method":"GET","path":"/","status":200}',
      '',
      'Error: no such thing',
      '{"level":50,"msg":"failed","error":{"message":"no room"}}',
    ].join('\n')
    expect(readable(output)).toBe('starting\nError: no such thing\nfailed: no room')
  })
})
