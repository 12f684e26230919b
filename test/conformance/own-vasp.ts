import { createPrivateKey } from 'node:crypto'
import { rmSync } from 'node:fs'
import {
  CASES,
  resolveTarget,
  runConformance,
  signInByRecipe,
  startUmaSender,
  type Report,
  type RunOptions,
} from 'uma-auth-conformance'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/shared/processes'
import { ensureSettings, type SettingsFile } from '../../sandbox/shared/settings'
import { stepsOf } from '../../scripts/conformance-users'
import { migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'

type MissingKey = 'JWT_PUBLIC_KEY' | 'JWT_PRIVATE_KEY'

/** The production build of our own VASP, in a separate process with its own data folder. */
export interface OwnVasp {
  readonly settings: SettingsFile
  /** The port on which the server listens. Behind a proxy it differs from the port in the VASP's address. */
  readonly port: number
  /** Runs the kit as alice and bob, with all options except missing keys. */
  run(changes?: Partial<RunOptions>): Promise<Report>
  restartWithout(key: MissingKey): Promise<void>
  stop(): Promise<void>
}

/**
 * @param publicPort the port in the VASP's address; the server's own port when absent.
 * @param overrides settings of the process.
 */
export async function startOwnVasp(
  publicPort?: number,
  overrides: Readonly<Record<string, string>> = {},
): Promise<OwnVasp> {
  const folder = await migratedDataDir()
  const port = await freePort()
  const instance = {
    name: 'Northbank',
    port: publicPort ?? port,
    gatewayRootUrl: `http://localhost:${await freePort()}`,
  }
  const settings = ensureSettings(instance, folder)
  const umaSender = await startUmaSender(new URL(`http://localhost:${await freePort()}`))
  const pem = (name: string): string => (settings[name] ?? '').replaceAll('\\n', '\n')
  const userNamed = (username: string) => ({ steps: [{ fields: { username, password: 'sandbox' } }] })

  async function start(without?: MissingKey): Promise<RunningProcess> {
    const { DATABASE_URL: _database, ...inherited } = process.env
    const env = {
      ...inherited,
      ...settings,
      ...overrides,
      PORT: String(port),
      UMA_LOCAL_PEERS: umaSender.domain,
      NODE_ENV: 'production' as const,
      // An empty value overrides the settings file.
      ...(without === undefined ? {} : { [without]: '' }),
    }
    const started = startProcess('VASP', ['server.js'], env)
    await untilAnswers(started, `http://localhost:${port}/-/alive`)
    return started
  }

  let server = await start()
  return {
    settings,
    port,
    run: (changes = {}) =>
      runConformance({
        target: resolveTarget({
          vasp: settings.NEXTAUTH_URL,
          gateway: settings.GATEWAY_ROOT_URL,
          jwtPublicKey: pem('JWT_PUBLIC_KEY'),
        }),
        cases: CASES,
        signIn: signInByRecipe({
          users: [userNamed('alice'), userNamed('bob')],
          ...stepsOf(settings.NEXTAUTH_URL ?? '', 'alice'),
        }),
        signingKey: createPrivateKey(pem('JWT_PRIVATE_KEY')),
        umaSender,
        paymentSeconds: 60,
        payments: true,
        uma: true,
        ...changes,
      }),
    async restartWithout(key) {
      await stopProcess(server)
      server = await start(key)
    },
    async stop() {
      await stopProcess(server)
      await umaSender.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
