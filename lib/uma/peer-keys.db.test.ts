import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { openDatabase, type Database } from '../db/database'
import { makeGuardedFetch } from '../net/guarded-fetch'
import { makePeerKeys } from './peer-keys'

describeOnPostgres('Keys of other VASPs', (server) => {
  let other: OtherVasp
  let db: Database
  beforeAll(async () => {
    other = await startOtherVasp()
    db = await openDatabase({ databaseUrl: await server.createDatabase(), dataDir: '', log: () => {} })
  })
  afterAll(async () => {
    other.stop()
    await db.close()
  })

  test('do not wait for others that are renewed at the same time, which would wait for them', async () => {
    const settings = { umaLocalPeers: [other.domain] }
    const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers })
    const peerKeys = makePeerKeys({ settings, db, clock: { now: () => new Date() }, fetch })
    const text = `insert into uma_peer_keys (domain, document, fetched_at, expires_at)
                  select domain, '{}', now(), now() - interval '1 hour' from unnest(array['renewed.example', 'gone.example']) domain`
    await db.query({ name: 'test_expired_keys', text })
    await db.prisma.$transaction(async (renewing) => {
      await renewing.$executeRaw`update uma_peer_keys set expires_at = now() where domain = 'renewed.example'`
      const { signing } = await peerKeys.of(other.domain, 'theirs')
      expect(signing).toBe(other.keys.publicHex)
    })
    const rows = await db.query({ name: 'test_kept_keys', text: 'select domain from uma_peer_keys order by domain' })
    expect(rows).toEqual([{ domain: other.domain }, { domain: 'renewed.example' }])
  })
})
