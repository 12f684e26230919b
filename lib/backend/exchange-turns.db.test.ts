import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, onDatabase, type TestVasp } from '@/test/vasp/vasp'

describeOnBothEngines('Token exchanges of one user', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
  })

  it('run five at a time, whatever the number of login tokens, and do not delay other users', async () => {
    const logins = await Promise.all(Array.from({ length: 12 }, () => vasp.loginToken('alice')))
    const bobs = await vasp.loginToken('bob')
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let asking = 0
    const slow = onDatabase(vasp, {
      ...db(),
      query: async (statement, params) => {
        if (!params?.includes('alice')) return db().query(statement, params)
        asking += 1
        await held
        return db().query(statement, params)
      },
    })
    const exchanges = logins.map((token) => slow.exchange(token, { permissions: ['get_info'] }))
    expect((await slow.exchange(bobs, { permissions: ['get_info'] })).status).toBe(200)
    expect(asking).toBe(5)
    release()
    expect(new Set((await Promise.all(exchanges)).map(({ status }) => status))).toEqual(new Set([200]))
  })
})
