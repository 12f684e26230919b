import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { listEvents } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { noticeExpiry } from './expiry'
import { revokeConnection } from './service'

describeOnBothEngines('The expiry of a connection', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  const connect = async (expiration?: number): Promise<string> => {
    const { body } = await vasp.exchange(await vasp.loginToken('alice'), { permissions: ['get_balance'], expiration })
    return idOf(String(body.token))
  }
  /** Looks for expired connections at a given time, and returns those with an event. */
  const noticedAt = async (seconds: number): Promise<(string | null)[]> => {
    const events = createEventRecorder({ db: db(), log: vasp.app.log })
    await noticeExpiry({ db: db(), clock: { now: () => new Date(seconds * 1_000) }, events })
    await events.close()
    const reader = { userId: 'alice', withUnowned: false }
    const rows = await listEvents({ db: db() }, reader, {
      kinds: ['connection'],
      name: 'connection expired',
      limit: 10,
    })
    return rows.map(({ connectionId }) => connectionId)
  }

  it('is recorded once for its connection’s owner, and not for a connection that was revoked or does not expire', async () => {
    const expiration = Math.floor(Date.now() / 1_000) + 60
    const [expires, revoked] = [await connect(expiration), await connect(expiration)]
    await connect()
    await revokeConnection(db(), revoked, 'alice')
    expect(await noticedAt(expiration - 1)).toEqual([])
    expect(await noticedAt(expiration)).toEqual([expires])
    expect(await noticedAt(expiration + 30)).toEqual([expires])
  })

  it('is not recorded when it is more than an hour old', async () => {
    const expiration = Math.floor(Date.now() / 1_000) + 60
    const id = await connect(expiration)
    expect(await noticedAt(expiration + 3_601)).not.toContain(id)
  })
})
