import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPostgres } from '../databases/databases'

const DAY_MS = 86_400_000

describeOnPostgres('deploy/backup.sh', (server) => {
  let url: string
  let folder: string
  beforeAll(async () => {
    url = await server.createMigratedDatabase()
    folder = mkdtempSync(join(tmpdir(), 'vasp-backup-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const environmentOf = (database: string): NodeJS.ProcessEnv => {
    const { hostname, port, username, password, pathname } = new URL(database)
    const names = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password }
    return { ...process.env, ...names, PGDATABASE: pathname.slice(1), KEEP_DAYS: '14' }
  }
  const backUp = (database = url): { readonly status: number | null; readonly stderr: string } =>
    spawnSync('sh', ['deploy/backup.sh', folder], { env: environmentOf(database), encoding: 'utf8' })

  it('writes a dump that pg_restore brings back as docs/host.md says, for its owner alone', async () => {
    const db = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
    await db.query({ name: '', text: `insert into users (id, display_name, password_hash) values ('alice', 'A', 'x')` })
    await db.close()
    expect(backUp()).toMatchObject({ status: 0, stderr: '' })
    const [file = ''] = readdirSync(folder)
    expect(file).toMatch(/^vasp-\d{8}T\d{6}Z\.dump$/)
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    const empty = await server.createDatabase()
    const database = new URL(empty).pathname.slice(1)
    const args = ['--no-owner', '--exit-on-error', `--dbname=${database}`, join(folder, file)]
    expect(spawnSync('pg_restore', args, { env: environmentOf(empty), encoding: 'utf8' })).toMatchObject({ status: 0 })
    const restored = await openDatabase({ databaseUrl: empty, dataDir: '', log: () => {} })
    expect(await restored.query({ name: '', text: 'select id from users' })).toEqual([{ id: 'alice' }])
    await restored.close()
  })

  it('deletes the dumps that are older than KEEP_DAYS, and no other file', () => {
    const old = [13, 16].map((days) => {
      const path = join(folder, `vasp-20260101T0000${days}Z.dump`)
      writeFileSync(path, '')
      utimesSync(path, new Date(), new Date(Date.now() - days * DAY_MS))
      return path
    })
    writeFileSync(join(folder, 'notes'), '')
    utimesSync(join(folder, 'notes'), new Date(), new Date(Date.now() - 90 * DAY_MS))
    expect(backUp().status).toBe(0)
    const left = readdirSync(folder)
    expect(old.map((path) => left.includes(path.slice(folder.length + 1)))).toEqual([true, false])
    expect(left).toContain('notes')
  })

  it('fails without a database, leaves no file of its own, and deletes nothing', () => {
    const before = readdirSync(folder)
    const path = join(folder, 'vasp-20250101T000000Z.dump')
    writeFileSync(path, '')
    utimesSync(path, new Date(), new Date(Date.now() - 90 * DAY_MS))
    const { status, stderr } = backUp(`${url}_missing`)
    expect([status, stderr]).toEqual([1, expect.stringContaining('does not exist')])
    expect(readdirSync(folder).toSorted()).toEqual([...before, 'vasp-20250101T000000Z.dump'].toSorted())
  })
})
