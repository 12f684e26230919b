import { createPrivateKey } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CASES,
  resolveTarget,
  runConformance,
  signInByRecipe,
  startUmaSender,
  type Report,
  type RunOptions,
  type UmaSender,
} from 'uma-auth-conformance'
import { fetchLoginToken } from '../../sandbox/fetch-token'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/processes'
import { ensureSettings, type SettingsFile } from '../../sandbox/settings'
import { freePort } from '../free-port'
import { migratedDataDir } from '../migrated'

// The production build of our own VASP, held to the specification.

const MAX_RUN_MS = 90_000

let folder: string
let settings: SettingsFile
let server: RunningProcess
let umaSender: UmaSender

beforeAll(async () => {
  folder = await migratedDataDir()
  const [port, gatewayPort, umaPort] = [await freePort(), await freePort(), await freePort()]
  settings = ensureSettings({ name: 'Northbank', port, gatewayRootUrl: `http://localhost:${gatewayPort}` }, folder)
  umaSender = await startUmaSender(new URL(`http://localhost:${umaPort}`))
  server = await startServer()
})

async function startServer(without?: 'JWT_PUBLIC_KEY' | 'JWT_PRIVATE_KEY'): Promise<RunningProcess> {
  const { DATABASE_URL: _database, ...inherited } = process.env
  const env = {
    ...inherited,
    ...settings,
    UMA_LOCAL_PEERS: umaSender.domain,
    NODE_ENV: 'production' as const,
    // An empty value overrides the settings file.
    ...(without === undefined ? {} : { [without]: '' }),
  }
  const started = startProcess('VASP', ['server.js'], env)
  await untilAnswers(started, `${settings.NEXTAUTH_URL}/-/alive`, 60_000)
  return started
}

afterAll(async () => {
  await stopProcess(server)
  await umaSender.close()
  rmSync(folder, { recursive: true, force: true })
})

function pem(name: string): string {
  return (settings[name] ?? '').replaceAll('\\n', '\n')
}

function run(changes: Partial<RunOptions> = {}): Promise<Report> {
  const userNamed = (username: string) => ({ steps: [{ fields: { username, password: 'sandbox' } }] })
  return runConformance({
    target: resolveTarget({
      vasp: settings.NEXTAUTH_URL,
      gateway: settings.GATEWAY_ROOT_URL,
      jwtPublicKey: pem('JWT_PUBLIC_KEY'),
    }),
    cases: CASES,
    signIn: signInByRecipe({ users: [userNamed('alice'), userNamed('bob')] }),
    signingKey: createPrivateKey(pem('JWT_PRIVATE_KEY')),
    umaSender,
    invoice: undefined,
    paymentSeconds: 60,
    payments: true,
    uma: true,
    ...changes,
  })
}

describe('our own VASP', () => {
  it.each(['first', 'second'])('passes every case in a %s run on the same data, within 90 seconds', async () => {
    const { results, durationMs } = await run()
    const open = results
      .filter(({ status }) => status !== 'pass')
      .map(({ id, status, reason }) => `${id}: ${status}, ${reason}`)
    // A gateway root without a path, and all twelve commands.
    expect(open).toEqual([
      'login.look-alike-path: not-applicable, the gateway root has no path',
      'errors.not-advertised: not-applicable, the VASP advertises all twelve commands',
      'keys.verification: not-run, needs --missing-key verification, after a restart',
      'keys.signing: not-run, needs --missing-key signing and --login-token, after a restart',
    ])
    expect(durationMs).toBeLessThan(MAX_RUN_MS)
  })

  it('passes the cases of a missing key, after a restart without it', async () => {
    const loginToken = await fetchLoginToken({
      vaspOrigin: settings.NEXTAUTH_URL ?? '',
      gatewayRootUrl: settings.GATEWAY_ROOT_URL ?? '',
      instance: 'northbank',
      username: 'alice',
      password: 'sandbox',
    })
    for (const [missingKey, name] of [
      ['verification', 'JWT_PUBLIC_KEY'],
      ['signing', 'JWT_PRIVATE_KEY'],
    ] as const) {
      await stopProcess(server)
      server = await startServer(name)
      const cases = CASES.filter(({ id }) => id === `keys.${missingKey}`)
      const { results } = await run({ cases, missingKey, loginToken })
      expect(results).toMatchObject([{ status: 'pass', reason: '' }])
    }
  })
})
