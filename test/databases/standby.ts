import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { unprivilegedUser } from '../programs/debian'
import { freePort } from '../programs/free-port'
import { findPrograms, NO_POSTGRES, untilItAnswers } from './postgres'

export interface Standby {
  /** The URL of the database with this name. */
  urlOf(databaseUrl: string): string
  promote(): Promise<void>
  stop(): Promise<void>
}

/**
 * A streaming standby with a replication slot, as deploy/standby sets one up. `primaryUrl`: the superuser's URL of the primary, or
 * of a proxy in front of it.
 */
export async function startStandby(primaryUrl: string): Promise<Standby> {
  const programs = findPrograms()
  const user = unprivilegedUser()
  if (programs === undefined || user === 'none') throw new Error(NO_POSTGRES)
  const folder = mkdtempSync(join(tmpdir(), 'vasp-standby-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const copied = ['--write-recovery-conf', '--wal-method=stream', '--create-slot', '--slot=standby']
  // Not synchronous: a proxy of this process may be in between.
  await promisify(execFile)(
    join(programs, 'pg_basebackup'),
    [`--dbname=${primaryUrl}`, `--pgdata=${data}`, '--checkpoint=fast', ...copied],
    { ...user, cwd: folder, timeout: 120_000 },
  )
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'cluster_name=standby', `port=${port}`]
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const end = (): void => {
    server.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', end)
  const urlOf = (databaseUrl: string): string =>
    Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port }).href
  await untilItAnswers(urlOf(primaryUrl), server)
  return {
    urlOf,
    async promote() {
      const client = new Client({ connectionString: urlOf(primaryUrl) })
      await client.connect()
      await client.query('select pg_promote(true, 60)')
      await client.end()
    },
    async stop() {
      process.off('exit', end)
      const ended = once(server, 'exit')
      if (server.kill('SIGQUIT')) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
