import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeOnPrivatePostgres } from '@/test/databases/databases'
import { startStandby, type Standby } from '@/test/databases/standby'
import { startTcpProxy, type TcpProxy } from '@/test/databases/tcp-proxy'
import type { Database } from './database'
import { readHistory } from './history'
import { openDatabase } from './open-database'

const USERS = { name: 'test_users', text: 'select count(*)::int as n from users' }

await describeOnPrivatePostgres('A server whose standby takes its place', (server) => {
  let url: string
  let address: TcpProxy
  let standby: Standby
  let db: Database
  const onReplaced = vi.fn<() => void>()

  beforeAll(async () => {
    url = await server.createMigratedDatabase()
    standby = await startStandby(server.adminUrl)
    address = await startTcpProxy(url)
    db = await openDatabase({ databaseUrl: address.url, dataDir: '', log: () => {}, onReplaced })
  })
  afterAll(async () => {
    await db.close()
    await address.stop()
    await standby.stop()
  })

  const users = (): Promise<unknown> => db.query(USERS)
  /** A new connection is opened for the next statement. */
  const reconnect = async (): Promise<void> => {
    await address.cut()
    await address.mend()
  }

  test('names its history to a user without rights', async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const history = await readHistory(client)
    expect(history).toMatch(/^\d+\/00000001\/\d+$/)
    await client.query(`create role plain_${process.pid}; set role plain_${process.pid}`)
    expect(await readHistory(client)).toBe(history)
    await client.end()
  })

  test('is the same after a restart', async () => {
    await expect(users()).resolves.toEqual([{ n: 0 }])
    await server.restart()
    await expect.poll(() => users().catch(() => undefined)).toEqual([{ n: 0 }])
    expect(onReplaced).not.toHaveBeenCalled()
  })

  test('is not used while it is a standby, and may still become the same', async () => {
    address.aim(standby.urlOf(url))
    await reconnect()
    await expect.poll(() => users().catch((error: unknown) => (error as Error).message)).toBe('the server is a standby')
    address.aim(url)
    await reconnect()
    await expect.poll(() => users().catch(() => undefined)).toEqual([{ n: 0 }])
    expect(onReplaced).not.toHaveBeenCalled()
  })

  test('is another one with a backup restored under the name of the database', async () => {
    const restored = vi.fn<() => void>()
    const own = await server.createMigratedDatabase()
    const through = await startTcpProxy(own)
    const open = await openDatabase({ databaseUrl: through.url, dataDir: '', log: () => {}, onReplaced: restored })
    await through.cut()
    const name = new URL(own).pathname.slice(1)
    const admin = new Client({ connectionString: server.adminUrl })
    await admin.connect()
    // Waits until each session is gone.
    await admin.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`)
    await admin.query(`alter database ${name} rename to ${name}_before`)
    await admin.query(`create database ${name} template ${name}_before`)
    await through.mend()
    await expect(open.query(USERS)).rejects.toThrow('the database is not the one of the start')
    expect(restored).toHaveBeenCalled()
    await open.close()
    await through.stop()
    await admin.query(`drop database ${name}_before`)
    await admin.end()
  })

  test('is reported as another one after its promotion, and no statement runs there', async () => {
    await standby.promote()
    address.aim(standby.urlOf(url))
    await reconnect()
    await expect
      .poll(() => users().catch((error: unknown) => (error as Error).message))
      .toBe('the database is not the one of the start')
    expect(onReplaced).toHaveBeenCalled()
    await expect(db.prisma.user.count()).rejects.toThrow('the database is not the one of the start')
  })
})

test('a managed server that refuses to name its history is used as before', async () => {
  const refusal = Object.assign(new Error('permission denied'), { severity: 'ERROR', code: '42501' })
  const client = { query: () => Promise.reject(refusal) } as unknown as Parameters<typeof readHistory>[0]
  expect(await readHistory(client)).toBe('unknown')
})
