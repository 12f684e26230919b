import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { newSenderKeys } from '@/test/uma/sender'
import type { Database } from '../../platform/db/database'
import { makeGuardedFetch, type GuardedFetch } from '../../platform/net/guarded-fetch'
import type { RemoteKeys } from '../types'
import { makeRemoteKeys } from './remote-keys'

describeOnPostgres('Public keys of remote VASPs', (server) => {
  let other: OtherVasp
  let db: Database
  beforeAll(async () => {
    other = await startOtherVasp()
    db = await openPatiently(await server.createMigratedDatabase())
  })
  afterAll(async () => {
    other.stop()
    await db.close()
  })

  test('are saved while another instance renews the keys of another domain, without a deadlock', async () => {
    const settings = { umaLocalPeers: [other.domain] }
    const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers })
    const remoteKeys = makeRemoteKeys({ settings, db, clock: { now: () => new Date() }, fetch })
    const text = `insert into uma_remote_keys (domain, document, fetched_at, expires_at)
                  select domain, '{}', now(), now() - interval '1 hour' from unnest(array['renewed.example', 'gone.example']) domain`
    await db.query({ name: 'test_expired_keys', text })
    await db.prisma.$transaction(async (renewing) => {
      await renewing.$executeRaw`update uma_remote_keys set expires_at = now() where domain = 'renewed.example'`
      const { signing } = await remoteKeys.get(other.domain, 'incoming')
      expect(signing).toBe(other.keys.publicHex)
    })
    const rows = await db.query({ name: 'test_kept_keys', text: 'select domain from uma_remote_keys order by domain' })
    expect(rows).toEqual([{ domain: other.domain }, { domain: 'renewed.example' }])
  })

  test('stay in memory while they are valid, and are read again when another instance has fetched newer ones', async () => {
    const settings = { umaLocalPeers: [other.domain] }
    const asked: string[] = []
    const counted: Database = {
      ...db,
      query: (statement, params) => {
        if (statement.name.includes('remote_keys')) asked.push(statement.name)
        return db.query(statement, params)
      },
    }
    let now = Date.now()
    const clock = { now: () => new Date(now) }
    const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers })
    const [one, two] = [counted, db].map((each) => makeRemoteKeys({ settings, db: each, clock, fetch }))
    const before = await one?.get(other.domain, 'incoming')
    asked.length = 0
    for (let time = 0; time < 5; time++) expect(await one?.get(other.domain, 'outgoing')).toEqual(before)
    expect(asked).toEqual([])
    other.keys = newSenderKeys()
    now += 60_000
    const renewed = await two?.refresh(other.domain, 'outgoing')
    expect(renewed?.signing).toBe(other.keys.publicHex)
    const fetches = other.asked.length
    expect(await one?.get(other.domain, 'outgoing')).toEqual(before)
    expect((await one?.refresh(other.domain, 'incoming'))?.signing).toBe(other.keys.publicHex)
    expect((await one?.get(other.domain, 'outgoing'))?.signing).toBe(other.keys.publicHex)
    expect(other.asked).toHaveLength(fetches)
    // The keys are not used after they expire.
    now += 300_000
    await one?.get(other.domain, 'outgoing')
    expect(other.asked).toHaveLength(fetches + 1)
  })

  describe('while forged messages name six slow domains:', () => {
    let slow: OtherVasp[]
    let known: OtherVasp
    let another: OtherVasp
    let remoteKeys: RemoteKeys
    let held: Promise<unknown>

    beforeEach(async () => {
      slow = await Promise.all(Array.from({ length: 6 }, () => startOtherVasp()))
      for (const each of slow) each.answers.keys = () => {}
      ;[known, another] = [await startOtherVasp(), await startOtherVasp()]
      const settings = { umaLocalPeers: [known, another, ...slow].map(({ domain }) => domain) }
      const fetch = makeGuardedFetch({ localPeers: settings.umaLocalPeers, totalMs: 6_000 })
      remoteKeys = makeRemoteKeys({ settings, db, clock: { now: () => new Date() }, fetch })
      held = Promise.allSettled(slow.map(({ domain }) => remoteKeys.get(domain, 'incoming')))
      await expect.poll(() => slow.filter(({ asked }) => asked.length > 0).length).toBe(5)
    })
    afterEach(async () => {
      for (const each of [known, another, ...slow]) each.stop()
      await held
    })
    const slowFetches = (): number => slow.filter(({ asked }) => asked.length > 0).length

    test('cached keys are returned at once', async () => {
      await remoteKeys.get(known.domain, 'outgoing')
      expect((await remoteKeys.get(known.domain, 'incoming')).signing).toBe(known.keys.publicHex)
      expect([slowFetches(), known.asked.length]).toEqual([5, 1])
    })

    test('outgoing requests fetch keys at once, even while a message in the name of the same VASP waits', async () => {
      const waits = remoteKeys.get(known.domain, 'incoming')
      expect((await remoteKeys.get(known.domain, 'outgoing')).signing).toBe(known.keys.publicHex)
      expect(slowFetches()).toBe(5)
      for (const each of slow) each.stop()
      await waits
    })

    test('a message from another domain is served when the first slow fetches end', async () => {
      for (const each of slow.filter(({ asked }) => asked.length > 0)) each.stop()
      expect((await remoteKeys.get(another.domain, 'incoming')).signing).toBe(another.keys.publicHex)
      expect(slowFetches()).toBe(6)
    })
  })

  test('fetches for incoming messages of one registrable domain leave slots for others', async () => {
    let answerAll = (): void => {}
    const answered = new Promise<void>((resolve) => (answerAll = resolve))
    const started: string[] = []
    const fetch: GuardedFetch = async (url) => {
      const { hostname } = new URL(url)
      started.push(hostname)
      if (hostname.endsWith('.evil.example')) await answered
      return { status: 404, text: '' }
    }
    const remoteKeys = makeRemoteKeys({
      settings: { umaLocalPeers: [] },
      db,
      clock: { now: () => new Date() },
      fetch,
    })
    const flood = Array.from({ length: 10 }, (_, index) => remoteKeys.get(`x${index}.evil.example`, 'incoming'))
    let rejected = 0
    const flooded = Promise.all(flood.map((each) => each.catch(() => (rejected += 1))))
    await expect(remoteKeys.get('bank.other', 'incoming')).rejects.toMatchObject({
      code: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
    })
    expect(started).toHaveLength(2)
    // One is fetched, four wait, and the queue of the domain rejects the others.
    await expect.poll(() => rejected).toBe(5)
    answerAll()
    await flooded
    expect(started).toHaveLength(6)
  })
})
