import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findProgram, unprivilegedUser } from './debian'
import { freePort } from './free-port'

export interface PgBouncer {
  /** The database through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

const PATIENCE_MS = 60_000

/**
 * Debian's pgbouncer in front of a database. `settings`: further lines of its configuration.
 * @throws Error with its log when it does not start.
 */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction' | 'statement',
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const program = findProgram('pgbouncer')
  const user = unprivilegedUser()
  if (program === undefined || user === 'none') throw new Error('pgbouncer cannot run here')
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'vasp-pgbouncer-'))
  const port = await freePort()
  const [users, config] = [join(folder, 'users'), join(folder, 'pgbouncer.ini')]
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`)
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    pool_mode: mode,
    ...settings,
  }
  writeFileSync(
    config,
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${Object.entries(lines)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
  )
  if (user !== undefined) for (const path of [folder, users, config]) chownSync(path, user.uid, user.gid)
  const child = spawn(program, [config], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-8_000)))
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      kill()
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`
  const deadline = Date.now() + PATIENCE_MS
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`pgbouncer did not start:\n${said}`)
    }
    await sleep(50)
  }
  return { url, stop }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
