import { spawn } from 'node:child_process'
import { dataDirOf } from '../../lib/platform/environment.js'
import { requireFree } from '../shared/ports'
import { exitMessage, startProcess } from '../shared/processes'
import { ensureSandbox } from '../shared/settings'
import { DemoIsRunning, lockDemo, type DemoLock } from './demo-lock'
import { compileScripts, demoProcesses, hasSimulator } from './demo-processes'

let stopping = false

// Runs `next dev` instead of the server, with the sandbox's settings, and the other processes of the demo.
try {
  const lock = await lockDemo(dataDirOf(process.env), { say: console.log })
  const sandbox = ensureSandbox(process.env)
  lock.answersAt(sandbox.settings.publicOrigin)
  const [vasp, ...others] = demoProcesses(sandbox, { gateway: hasSimulator(sandbox) })
  for (const each of [vasp, ...others]) if (each !== undefined) await requireFree(each.listens)
  compileScripts()
  for (const { name, args, env, listens } of others) {
    const started = startProcess(name, args, { ...process.env, ...env })
    lock.started(name, started.child.pid)
    started.child.once('exit', () => stopping || console.error(exitMessage(started)))
    console.log(`The ${name} listens on port ${listens.port}.`)
  }
  runNext(sandbox.environment, lock)
} catch (error) {
  console.error(
    error instanceof DemoIsRunning
      ? `${error.message}. Stop it first.`
      : error instanceof Error
        ? error.message
        : String(error),
  )
  process.exitCode = 1
}

/** The other processes stop when this one stops. */
function runNext(environment: Readonly<Record<string, string>>, lock: DemoLock): void {
  const next = spawn(
    process.execPath,
    ['node_modules/next/dist/bin/next', 'dev', '--port', environment.PORT ?? '3000', '--hostname', 'localhost'],
    { stdio: 'inherit', env: { ...process.env, ...environment, NEXT_TELEMETRY_DISABLED: '1' } },
  )
  next.on('exit', (code) => process.exit(code ?? 0))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping = true
      lock.stopping()
      next.kill(signal)
    })
  }
}
