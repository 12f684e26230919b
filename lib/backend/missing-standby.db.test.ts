import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { openDatabase } from '@/lib/platform/db/open-database'
import { checkWrites } from '@/lib/platform/db/write-check'
import { readiness, serving } from '@/lib/platform/readiness'
import { describeOnPrivatePostgres } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp } from '@/test/vasp/vasp'

await describeOnPrivatePostgres('A server that waits for a synchronous standby', (server) => {
  it('answers calls that read while there is none, and is reported as one that does not store', async () => {
    const db = await openDatabase({ databaseUrl: await server.createMigratedDatabase(), dataDir: '', log: () => {} })
    const admin = new Client({ connectionString: server.adminUrl })
    await admin.connect()
    try {
      await seedUsers(db, 'sandbox', testPasswords)
      const vasp = await makeTestVasp(db)
      const token = await vasp.connectionToken('alice', ['get_balance'])
      await admin.query(`alter system set synchronous_standby_names = 'missing'`)
      await admin.query('select pg_reload_conf()')
      await expect
        .poll(async () => (await admin.query('show synchronous_standby_names')).rows)
        .toEqual([{ synchronous_standby_names: 'missing' }])
      // Another session may learn of the setting a moment later.
      await sleep(500)
      // The call records that the connection was used, and does not wait for it.
      const late = sleep(4_000, 'late', { ref: false })
      expect(await Promise.race([vasp.get('/balance', token).then(({ status }) => status), late])).toBe(200)
      await expect(checkWrites(db)).rejects.toThrow('Query read timeout')
      const ports = { ...vasp.app, db }
      expect((await readiness(ports)).checks).toMatchObject({ database: 'ok', writing: 'failed' })
      expect((await serving(ports)).serving).toBe(true)
    } finally {
      await admin.query('alter system reset synchronous_standby_names')
      await admin.query('select pg_reload_conf()')
      await admin.end()
      await db.close()
    }
  })
})
