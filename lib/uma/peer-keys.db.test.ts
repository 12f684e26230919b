import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases'
import { newPayer } from '@/test/leaving'
import { invoiceOf, newPerson } from '@/test/money'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { newSenderKeys } from '@/test/uma/sender'
import { makeTestVasp } from '@/test/vasp'
import { openDatabase, type Database } from '../platform/db/database'
import { makeGuardedFetch } from '../platform/net/guarded-fetch'
import { makePeerKeys, type PeerKeys } from './peer-keys'

describeOnPostgres('Keys of other VASPs', (server) => {
  let other: OtherVasp
  let db: Database
  beforeAll(async () => {
    other = await startOtherVasp()
    db = await openDatabase({ databaseUrl: await server.createMigratedDatabase(), dataDir: '', log: () => {} })
  })
  afterAll(async () => {
    other.stop()
    await db.close()
  })

  test('do not wait for others that are renewed at the same time, which would wait for them', async () => {
    const settings = { umaLocalPeers: [other.domain] }
    const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers })
    const peerKeys = makePeerKeys({ settings, db, clock: { now: () => new Date() }, fetch })
    const text = `insert into uma_remote_keys (domain, document, fetched_at, expires_at)
                  select domain, '{}', now(), now() - interval '1 hour' from unnest(array['renewed.example', 'gone.example']) domain`
    await db.query({ name: 'test_expired_keys', text })
    await db.prisma.$transaction(async (renewing) => {
      await renewing.$executeRaw`update uma_remote_keys set expires_at = now() where domain = 'renewed.example'`
      const { signing } = await peerKeys.of(other.domain, 'theirs')
      expect(signing).toBe(other.keys.publicHex)
    })
    const rows = await db.query({ name: 'test_kept_keys', text: 'select domain from uma_remote_keys order by domain' })
    expect(rows).toEqual([{ domain: other.domain }, { domain: 'renewed.example' }])
  })

  test('are asked of the database once while they live, and found anew when another instance has fetched newer ones', async () => {
    const settings = { umaLocalPeers: [other.domain] }
    const asked: string[] = []
    const counted: Database = {
      ...db,
      query: (statement, params) => {
        if (statement.name.includes('peer_keys')) asked.push(statement.name)
        return db.query(statement, params)
      },
    }
    let now = Date.now()
    const clock = { now: () => new Date(now) }
    const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers })
    const [one, two] = [counted, db].map((each) => makePeerKeys({ settings, db: each, clock, fetch }))
    const before = await one?.of(other.domain, 'theirs')
    asked.length = 0
    for (let time = 0; time < 5; time++) expect(await one?.of(other.domain, 'ours')).toEqual(before)
    expect(asked).toEqual([])
    other.keys = newSenderKeys()
    now += 60_000
    const renewed = await two?.again(other.domain, 'ours')
    expect(renewed?.signing).toBe(other.keys.publicHex)
    const fetches = other.asked.length
    expect(await one?.of(other.domain, 'ours')).toEqual(before)
    expect((await one?.again(other.domain, 'theirs'))?.signing).toBe(other.keys.publicHex)
    expect((await one?.of(other.domain, 'ours'))?.signing).toBe(other.keys.publicHex)
    expect(other.asked).toHaveLength(fetches)
    // Not a second longer than they live.
    now += 300_000
    await one?.of(other.domain, 'ours')
    expect(other.asked).toHaveLength(fetches + 1)
  })

  describe('of VASPs that we know do not wait while forged messages name domains that are slow', () => {
    let slow: OtherVasp[]
    let known: OtherVasp
    let stranger: OtherVasp
    let peerKeys: PeerKeys
    let held: Promise<unknown>

    beforeEach(async () => {
      slow = await Promise.all(Array.from({ length: 6 }, () => startOtherVasp()))
      for (const each of slow) each.answers.keys = () => {}
      ;[known, stranger] = [await startOtherVasp(), await startOtherVasp()]
      const settings = { umaLocalPeers: [known, stranger, ...slow].map(({ domain }) => domain) }
      const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers, totalMs: 6_000 })
      peerKeys = makePeerKeys({ settings, db, clock: { now: () => new Date() }, fetch })
      held = Promise.allSettled(slow.map(({ domain }) => peerKeys.of(domain, 'theirs')))
      await expect.poll(() => slow.filter(({ asked }) => asked.length > 0).length).toBe(3)
    })
    afterEach(async () => {
      for (const each of [known, stranger, ...slow]) each.stop()
      await held
    })
    const places = (): number => slow.filter(({ asked }) => asked.length > 0).length

    test('whose keys are in the cache', async () => {
      await peerKeys.of(known.domain, 'ours')
      expect((await peerKeys.of(known.domain, 'theirs')).signing).toBe(known.keys.publicHex)
      expect([places(), known.asked.length]).toEqual([3, 1])
    })

    test('with whom money has moved', async () => {
      const vasp = await makeTestVasp(db)
      const [payer, bob] = [await newPayer(vasp, { SAT: 1_000_000n }), await newPerson(vasp, { SAT: 0n })]
      const { invoice, paymentHash } = await invoiceOf(vasp, bob, 'SAT', 5_000n)
      const text = `insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address)
                    select id, 'uma-1', 'x', $2 from invoices where payment_hash = $1`
      await db.query({ name: 'test_asked_before', text }, [paymentHash, `$carol@${known.domain}`])
      expect((await payer.pay(invoice)).status).toBe(200)
      expect((await peerKeys.of(known.domain, 'theirs')).signing).toBe(known.keys.publicHex)
      expect(places()).toBe(3)
    })

    test('that we ask ourselves, even while a message in their name waits', async () => {
      const waits = peerKeys.of(known.domain, 'theirs')
      expect((await peerKeys.of(known.domain, 'ours')).signing).toBe(known.keys.publicHex)
      expect(places()).toBe(3)
      await waits
    })

    test('and a stranger gets its turn when one of them has used its time', async () => {
      expect((await peerKeys.of(stranger.domain, 'theirs')).signing).toBe(stranger.keys.publicHex)
      expect(places()).toBe(6)
    })
  })
})
