import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findPrograms, NO_POSTGRES } from '../databases/postgres'
import { unprivilegedUser } from '../programs/debian'

const FILES = ['primary.conf', 'standby.conf']
/** What the standby also needs after its promotion, with the same value. */
const SHARED = ['max_connections', 'max_wal_senders', 'max_replication_slots', 'fsync', 'synchronous_commit']

/** The settings of a file, in which `#name = value` is one that an operator turns on. */
function settingsOf(name: string): Map<string, string> {
  const text = readFileSync(join('deploy', 'standby', name), 'utf8')
  const lines = text.matchAll(/^#?([a-z_]+) = '?([^'\n]*)'?$/gm)
  return new Map([...lines].map(([, setting = '', value = '']) => [setting, value]))
}

it.for(FILES)('PostgreSQL accepts every line of deploy/standby/%s', (name, { skip }) => {
  const programs = findPrograms()
  const user = unprivilegedUser()
  if (programs === undefined || user === 'none') return skip(NO_POSTGRES)
  const folder = mkdtempSync(join(tmpdir(), 'vasp-standby-conf-'))
  try {
    const file = join(folder, 'postgresql.conf')
    writeFileSync(file, readFileSync(join('deploy', 'standby', name), 'utf8').replaceAll(/^#([a-z_]+ = )/gm, '$1'))
    const ofAlterSystem = join(folder, 'postgresql.auto.conf')
    writeFileSync(ofAlterSystem, '')
    if (user !== undefined) for (const path of [folder, file, ofAlterSystem]) chownSync(path, user.uid, user.gid)
    const settings = settingsOf(name)
    expect(settings.size).toBeGreaterThan(8)
    for (const [setting, value] of settings) {
      const { stdout, stderr } = spawnSync(join(programs, 'postgres'), ['-D', folder, '-C', setting], {
        ...user,
        encoding: 'utf8',
      })
      expect([stdout.trim(), stderr], setting).toEqual([shown(value), ''])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('a standby has what the primary has, so that it can take its place, and waits for no other standby', () => {
  const [primary, standby] = [settingsOf('primary.conf'), settingsOf('standby.conf')]
  for (const setting of SHARED) expect([setting, standby.get(setting)]).toEqual([setting, primary.get(setting)])
  expect(standby.has('synchronous_standby_names')).toBe(false)
  expect(primary.get('synchronous_standby_names')).toBe(standby.get('cluster_name'))
})

/** As `postgres -C` prints it: in milliseconds and megabytes. */
function shown(value: string): string {
  const [, amount, unit] = /^(\d+)(s|GB)$/.exec(value) ?? []
  if (amount === undefined) return value
  return String(Number(amount) * (unit === 's' ? 1_000 : 1_024))
}
