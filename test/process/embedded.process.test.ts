import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { makeTemplate } from '@/lib/platform/db/make-template'
import { openDatabase } from '@/lib/platform/db/open-database'
import { emptyDataDir, preparedDataDir } from '@/test/databases/embedded'
import { startDatabaseProcess, type DatabaseProcess } from '@/test/programs/database-processes'

const folders: string[] = []
const processes: DatabaseProcess[] = []

afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.kill('SIGKILL')))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function prepared(): Promise<string> {
  const dataDir = await preparedDataDir()
  folders.push(dataDir)
  return dataDir
}

function start(what: 'lock' | 'open' | 'write', dataDir: string, project?: string): DatabaseProcess {
  const started = startDatabaseProcess(what, dataDir, project)
  processes.push(started)
  return started
}

/** This project without its `.cache`, and so without a template. */
function projectWithoutTemplate(): string {
  const project = emptyDataDir()
  folders.push(project)
  for (const name of ['lib', 'node_modules', 'prisma']) symlinkSync(resolve(name), join(project, name))
  return project
}

const open = (dataDir: string, onStep: (step: string) => void = () => {}) =>
  openDatabase({ databaseUrl: undefined, dataDir, log: () => {}, onStep })

describe('Two processes on one embedded database', () => {
  test('the second process refuses to start and names the folder, its holder and the fix; it starts after kill -9 of the first', async () => {
    const dataDir = await prepared()
    const first = start('open', dataDir)
    expect(await first.outcome).toBe('open')
    expect(await start('open', dataDir).outcome).toBe(
      `refused: ${dataDir} is in use by process ${first.child.pid}: stop that process first, or set another DATA_DIR or a DATABASE_URL.`,
    )
    await first.kill('SIGKILL')
    expect(await start('open', dataDir).outcome).toBe('open')
  })

  test('the second process refuses to start while the first is stopped and cannot answer', async () => {
    const dataDir = await prepared()
    const first = start('open', dataDir)
    await first.outcome
    first.child.kill('SIGSTOP')
    expect(await start('open', dataDir).outcome).toMatch(/^refused: .* is in use by process/)
  })

  test('the second process refuses to start while the first is creating the database', async () => {
    const dataDir = emptyDataDir()
    folders.push(dataDir)
    const first = start('open', dataDir)
    await first.says('Creating the embedded database')
    expect(await start('open', dataDir).outcome).toMatch(/^refused: .* is in use by process/)
    expect(await first.outcome).toBe('open')
  })

  test('of six processes that start at once, at most one holds the folder, and the socket of a killed process blocks none', async () => {
    const dataDir = emptyDataDir()
    folders.push(dataDir)
    for (let round = 0; round < 3; round++) {
      const starters = Array.from({ length: 6 }, () => start('lock', dataDir))
      const outcomes = await Promise.all(starters.map((each) => each.outcome))
      expect(outcomes.filter((outcome) => outcome === 'open').length).toBeLessThanOrEqual(1)
      await Promise.all(starters.map((each) => each.kill('SIGKILL')))
    }
    expect(await start('lock', dataDir).outcome).toBe('open')
    expect(readdirSync(join(dataDir, 'lock'))).toHaveLength(1)
  })

  test('a folder is free as soon as its database is closed', async () => {
    const dataDir = await prepared()
    await (await open(dataDir)).close()
    const again = await open(dataDir)
    expect(await again.query({ name: 'still_there', text: 'select 1 as one' })).toEqual([{ one: 1 }])
    await again.close()
  })

  test('a second handle in the same process is refused', async () => {
    const dataDir = await prepared()
    const db = await open(dataDir)
    await expect(open(dataDir)).rejects.toThrow(`in use by process ${process.pid}`)
    await db.close()
  })
})

test('every acknowledged commit survives kill -9', async () => {
  const dataDir = await prepared()
  const writer = start('write', dataDir)
  await writer.says('wrote user20\\b')
  await writer.kill('SIGKILL')
  const acknowledged = [...writer.written().matchAll(/^wrote (user\d+)$/gm)].map((match) => match[1] ?? '')
  const db = await open(dataDir)
  const kept = new Set((await db.prisma.user.findMany({ select: { id: true } })).map((user) => user.id))
  await db.close()
  expect(acknowledged.length).toBeGreaterThan(20)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
})

describe('A damaged or unusable folder', () => {
  const damages: [string, (database: string) => void][] = [
    ['lost its version file', (database) => rmSync(join(database, 'PG_VERSION'))],
    ['is from another PostgreSQL version', (database) => writeFileSync(join(database, 'PG_VERSION'), '12\n')],
    ['lost its control file', (database) => rmSync(join(database, 'global', 'pg_control'))],
    ['lost its write-ahead log', (database) => rmSync(join(database, 'pg_wal'), { recursive: true })],
    ['has a truncated system table', (database) => truncateSync(join(database, 'base', '5', '1259'), 100)],
    [
      'was emptied',
      (database) => {
        rmSync(database, { recursive: true })
        mkdirSync(database)
      },
    ],
  ]
  test.each(damages)('a folder that %s is refused with one line and left unchanged', async (_, damage) => {
    const dataDir = await prepared()
    const database = join(dataDir, 'database')
    damage(database)
    const before = readdirSync(database, { recursive: true }).length
    await expect(open(dataDir)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /^The embedded database in .* cannot be read\. It was not changed\.[^\n]*$/,
      ) as string,
    })
    expect(Math.abs(readdirSync(database, { recursive: true }).length - before)).toBeLessThanOrEqual(1)
    // The failed start released the folder, so that a restored copy can be tried at once.
    expect(readdirSync(join(dataDir, 'lock'))).toEqual([])
  })

  test('a first start that was killed while it copied the template leaves no half database', async () => {
    await makeTemplate()
    let halves = 0
    for (let waitMs = 0; waitMs < 100; waitMs += 10) {
      const dataDir = emptyDataDir()
      folders.push(dataDir)
      const first = start('open', dataDir)
      await first.says('Creating the embedded database')
      await sleep(waitMs)
      await first.kill('SIGKILL')
      if (readdirSync(dataDir).some((name) => name.startsWith('database.new-'))) halves += 1
      await (await open(dataDir)).close()
      expect(readdirSync(dataDir).toSorted()).toEqual(['database', 'lock'])
    }
    expect(halves).toBeGreaterThan(0)
  })

  test('a first start without a template that was killed halfway does not block the next start', async () => {
    const dataDir = emptyDataDir()
    folders.push(dataDir)
    const first = start('open', dataDir, projectWithoutTemplate())
    await first.says('Creating the embedded database')
    // The folder in which the database is being created has its first files.
    await expect
      .poll(() => readdirSync(dataDir, { recursive: true }).join('\n'), { timeout: 200_000 })
      .toMatch(/^database\.new-.*\//m)
    await first.kill('SIGKILL')
    expect(existsSync(join(dataDir, 'database'))).toBe(false)
    const said: string[] = []
    const db = await open(dataDir, (message) => said.push(message))
    await db.close()
    expect(said).toContain('Creating the embedded database')
    expect(readdirSync(dataDir).toSorted()).toEqual(['database', 'lock'])
  })

  test('a path too long for a lock is refused, not truncated', async () => {
    const dataDir = emptyDataDir()
    folders.push(dataDir)
    await expect(open(join(dataDir, 'x'.repeat(90)))).rejects.toThrow('too long a path for a lock')
  })

  test('a path that cannot be a folder is refused with one line', async () => {
    const dataDir = emptyDataDir()
    folders.push(dataDir)
    writeFileSync(join(dataDir, 'file'), '')
    await expect(open(join(dataDir, 'file', 'data'))).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('ENOTDIR') as string,
    })
  })
})
