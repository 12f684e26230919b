import { chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startDaemon, type Daemon } from './daemon'
import { findProgram, unprivilegedUser } from './debian'
import { freePort } from './free-port'

export interface PgBouncer extends Daemon {
  /** The database through the pooler. */
  readonly url: string
}

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
  const url = `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`
  const { stop } = await startDaemon(program, [config], { folder, user, isReady: () => answers(url) })
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
