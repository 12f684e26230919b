import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'
import { processRow } from '../../scripts/process-table.mjs'
import { STOP_PATIENCE_MS } from '../shared/processes'
import { lockDemo } from './demo-lock'

let folder: string
const holders: ChildProcess[] = []
const left: number[] = []

// Short, because the path of a lock is limited.
beforeEach(() => void (folder = mkdtempSync('/tmp/demo-')))
afterEach(() => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  for (const pid of left.splice(0).filter(processRow)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A demo in another process, with one child. */
async function startHolder(dataDir = folder) {
  const child = spawn(process.execPath, [scriptPath('test/programs/demo-holder.ts'), dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  holders.push(child)
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const says = (text: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = text.exec(written)
        if (found !== null) resolve(found)
      }
      child.stdout.on('data', look)
      look()
    })
  const [, relay] = await says(/locked (\d+)/)
  left.push(Number(relay))
  return { child, says, relay: Number(relay) }
}

/** A start of the demo in this process. `said` resolves with its first line. */
function start(nowMs?: () => number) {
  let hear: (line: string) => void = () => {}
  const said = new Promise<string>((resolve) => (hear = resolve))
  let isLocked = false
  const lock = lockDemo(folder, { say: hear, ...(nowMs === undefined ? {} : { nowMs }) }).then((taken) => {
    isLocked = true
    return taken
  })
  lock.catch(() => {})
  return { said, lock, isLocked: () => isLocked }
}

it('a start beside a running demo is refused, with its process and its address', async () => {
  const { child } = await startHolder()
  await expect(start().lock).rejects.toThrow(
    `The demo is already running (process ${child.pid}) at http://localhost:3000`,
  )
})

it('a start beside a demo that is stopping says so, waits until it has ended, and then starts', async () => {
  const old = await startHolder()
  old.child.kill('SIGTERM')
  await old.says(/stopping/)
  const { said, lock, isLocked } = start()
  expect(await said).toBe(`Waiting for the demo of process ${old.child.pid} to stop, 0 s so far`)
  expect(isLocked()).toBe(false)
  old.child.stdin?.end()
  await lock
  expect(processRow(old.relay)).toBeUndefined()
})

it('a demo that is stuck while it stops is reported with the command that ends it', async () => {
  const old = await startHolder()
  old.child.kill('SIGTERM')
  await old.says(/stopping/)
  let ms = 0
  await expect(start(() => (ms += 50_000)).lock).rejects.toThrow(
    `The demo of process ${old.child.pid} has been stopping for 120 s and is stuck. End it with \`kill -9 ${old.child.pid}\``,
  )
})

it('a start after kill -9 of a demo waits for the processes that the demo left behind', async () => {
  const old = await startHolder()
  // A suspended process cannot notice the end of its parent.
  process.kill(old.relay, 'SIGSTOP')
  old.child.kill('SIGKILL')
  const { said, lock, isLocked } = start()
  expect(await said).toBe(`Waiting for the demo of process ${old.child.pid} to stop (relay), 0 s so far`)
  expect(isLocked()).toBe(false)
  process.kill(old.relay, 'SIGCONT')
  await lock
  expect(processRow(old.relay)).toBeUndefined()
})

it('a process left behind that does not stop in time is killed', async () => {
  const old = await startHolder()
  process.kill(old.relay, 'SIGSTOP')
  old.child.kill('SIGKILL')
  let ms = 0
  await start(() => (ms += STOP_PATIENCE_MS)).lock
  expect(processRow(old.relay)).toBeUndefined()
})

it('another program that has the process id of an old process is left alone', async () => {
  mkdirSync(join(folder, 'demo'), { recursive: true })
  const { relay: pid } = await startHolder(mkdtempSync(join(folder, 'other-')))
  const processes = [{ name: 'VASP', pid, startedAt: 'some other time' }]
  writeFileSync(join(folder, 'demo', 'demo.json'), JSON.stringify({ pid: 1, stopping: false, processes }))
  await start(() => Infinity).lock
  expect(processRow(pid)).toBeDefined()
})

it('a damaged record of an old demo does not prevent a start', async () => {
  mkdirSync(join(folder, 'demo'), { recursive: true })
  writeFileSync(join(folder, 'demo', 'demo.json'), '{"pid":')
  await start().lock
})
