import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/shared/processes'
import { ensureSandbox } from '../../sandbox/shared/settings'
import { preparedDataDir } from '../databases/embedded'
import { freePort } from '../programs/free-port'
import { isAlive } from '../programs/is-alive'
import { weightsBelow } from '../stack/weight'
import { openDemoPlace, type DemoPlace } from './demo-place'

// The promises of `npm run demo`, tested on starts that are killed, that meet another demo, or that have no settings.

let place: DemoPlace
beforeAll(async () => {
  place = await openDemoPlace()
})
afterAll(() => place.close())

it('At once after kill -9 of the demo the next demo starts, the old processes end, and Ctrl-C stops it', async () => {
  const killed = place.demo()
  await killed.says(/Ready in/)
  // The demo itself, two VASPs, the gateway simulator, the relay and the shop; found in Linux's /proc.
  const family = process.platform === 'linux' ? weightsBelow(killed.child.pid ?? 0).map(({ pid }) => pid) : []
  if (process.platform === 'linux') expect(family).toHaveLength(6)
  killed.child.kill('SIGKILL')
  const next = place.demo('--no-gateway')
  await next.says(/Ready in/)
  await expect.poll(() => family.filter(isAlive)).toEqual([])
  expect(next.written()).not.toContain('gateway simulator')
  next.child.kill('SIGINT')
  expect(await next.code).toBe(0)
  expect(next.written()).toContain('Stopping …')
  expect(await place.portsAreFree()).toBe(true)
})

it('A start beside a demo that is stopping says that it waits, and then starts', async () => {
  const old = place.demo('--no-gateway', '--no-southbank')
  await old.says(/Ready in/)
  const relay = pidOf('relay')
  // Stopping takes as long as this process is suspended.
  process.kill(relay, 'SIGSTOP')
  old.child.kill('SIGINT')
  await old.says(/Stopping …/)
  const next = place.demo('--no-gateway', '--no-southbank')
  await next.says(new RegExp(`Waiting for the demo of process ${old.child.pid} to stop, 0 s so far`))
  process.kill(relay, 'SIGCONT')
  expect(await old.code).toBe(0)
  await next.says(/Ready in/)
  next.child.kill('SIGTERM')
  expect(await next.code).toBe(0)
  expect(next.written()).toContain('Stopping on SIGTERM …')
})

/** A process of the running demo, as the next demo would find it. */
function pidOf(name: string): number {
  const record = JSON.parse(readFileSync(join(place.env.DATA_DIR ?? '', 'demo', 'demo.json'), 'utf8')) as {
    processes: { name: string; pid: number }[]
  }
  return record.processes.find((each) => each.name === name)?.pid ?? 0
}

it('A server that is killed in each step of its first start completes the start, with the opening balances once', async () => {
  const dataDir = place.keep(await preparedDataDir())
  const { environment } = ensureSandbox({ ...place.env, DATA_DIR: dataDir })
  const start = (): RunningProcess => startProcess('VASP', ['server.js'], { ...process.env, ...environment })
  for (const step of ['Applying migration 20261124000000_baseline', 'Creating the test users', 'Checking the books']) {
    const { child, closed } = start()
    child.on('message', (message) => (message as { step?: string }).step === step && child.kill('SIGKILL'))
    await closed
    expect(child.signalCode, step).toBe('SIGKILL')
  }
  const server = start()
  await untilAnswers(server, `http://localhost:${place.vaspPort}/-/ready`, { says: /"ready":true/ })
  await stopProcess(server)
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
  const openings = await db.query({
    name: 'openings',
    text: `select count(*) from journal_entries where kind = 'opening'`,
  })
  await db.close()
  expect(openings).toEqual([{ count: 6n }])
})

it('`npm start` with a port other than that of the settings file serves its pages on that port', async () => {
  const port = await freePort()
  const { DATA_DIR = '' } = place.env
  const server = startProcess('server', ['server.js'], { ...process.env, DATA_DIR, PORT: String(port) })
  try {
    await untilAnswers(server, `http://localhost:${port}/login`)
  } finally {
    await stopProcess(server)
  }
})

it('`npm start` on a folder without settings prints one line that says so', async () => {
  const dataDir = place.newFolder()
  const { NEXTAUTH_SECRET: _secret, ...env } = process.env
  const server = startProcess('server', ['server.js'], { ...env, DATA_DIR: dataDir })
  await new Promise((resolve) => server.child.once('close', resolve))
  expect(server.lastLines()).toMatch(new RegExp(`^There is no settings\\.env in ${dataDir}: run .* once`))
})
