import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from 'uma-auth-conformance'
import type { Settings } from '../lib/platform/config'
import { givenSandbox } from '../sandbox/shared/settings'
import { CONFORMANCE, readConformanceArguments } from './conformance-options'
import { createRunUser, deleteRunUser, stepsOf, type RunUser } from './conformance-users'
import { readOptions } from './options'

const PASSWORD = 'CONFORMANCE_PASSWORD'
const WALLETS = [['USD', 'EUR', 'SAT'], ['SAT']]

const { self, mutants, args } = readOptions(CONFORMANCE, readConformanceArguments)
const terminal = {
  write: (text: string) => void process.stdout.write(text),
  colours: process.stdout.isTTY && process.env.NO_COLOR === undefined,
}
if (mutants) process.exitCode = testMutants()
else process.exitCode = self ? await testDemo() : await runCommandLine(args, process.env, terminal)

/** As a program of the tests: a VASP without the folder `test` has no planted mistakes. */
function testMutants(): number {
  const program = ['scripts/ready.mjs', 'test/conformance/mutations/command.ts']
  return spawnSync(process.execPath, program, { stdio: 'inherit' }).status ?? 2
}

/** The kit reads files, so the demo's values go into a folder that only this user can read, for the run. */
async function testDemo(): Promise<0 | 1 | 2> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const users: RunUser[] = []
  let settings: Settings | undefined
  try {
    ;({ settings } = givenSandbox(process.env))
    // Two users who pay each other. No other test or person uses them.
    for (const currencies of WALLETS) users.push(await createRunUser(settings, currencies))
    const passwords = Object.fromEntries(users.map(({ password }, index) => [`${PASSWORD}_${index + 1}`, password]))
    const recipe = JSON.stringify({
      users: users.map(({ username }, index) => ({
        steps: [{ fields: { username, password: `env:${PASSWORD}_${index + 1}` } }],
      })),
      ...stepsOf(settings.publicOrigin, users[0]?.username ?? ''),
    })
    const values = [
      ['--vasp', settings.publicOrigin],
      ['--gateway', settings.gatewayRootUrl.href.replace(/\/$/, '')],
      ['--jwt-public-key', fileOf('public.pem', settings.jwtPublicKeyPem ?? '')],
      ['--test-signing-key', fileOf('private.pem', settings.jwtPrivateKeyPem ?? '')],
      ['--sign-in', fileOf('sign-in.json', recipe)],
    ]
    const env = { ...process.env, ...passwords }
    return await runCommandLine([...values.flat(), '--payments', '--uma', ...args], env, terminal)
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return 2
  } finally {
    if (settings !== undefined) for (const user of users) await deleteRunUser(settings, user)
    rmSync(folder, { recursive: true, force: true })
  }
}
