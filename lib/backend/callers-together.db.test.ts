import { beforeAll, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

describeOnBothEngines('Simultaneous callers, loaded in one batch', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    await seedOpeningBalances(db(), vasp.app.house)
  })

  it('each get their own account, scope and invoice, and revoked callers get nothing', async () => {
    const [alice, bob, narrow, revoked] = await Promise.all([
      vasp.connectionToken('alice', ['get_balance', 'make_invoice', 'pay_invoice']),
      vasp.connectionToken('bob', ['get_balance', 'pay_invoice']),
      vasp.connectionToken('bob', ['make_invoice']),
      vasp.connectionToken('alice', ['get_balance', 'pay_invoice']),
    ])
    const text = 'update connections set revoked_at = now() where id = $1'
    await db().query({ name: 'test_revoke_together', text }, [idOf(revoked)])
    const made = await vasp.post('/invoice', alice, { amount: 1_000 })
    const { invoice } = made.body
    const round = Array.from({ length: 30 }, (_, index) => [
      vasp.get('/info', index % 2 === 0 ? alice : bob),
      vasp.get('/info', revoked),
      vasp.post('/payments/bolt11', narrow, { invoice }),
      vasp.post('/payments/bolt11', revoked, { invoice }),
    ]).flat()
    const paid = vasp.post('/payments/bolt11', bob, { invoice })
    const answers = await Promise.all(round)
    answers.forEach(({ status, body }, place) => {
      const [which, user] = [place % 4, Math.floor(place / 4) % 2 === 0 ? 'alice' : 'bob']
      expect([which, status]).toEqual([which, [200, 401, 403, 401][which]])
      expect('preimage' in body).toBe(false)
      if (which === 0) expect(body.lud16).toBe(`$${user}@localhost:3000`)
    })
    expect(await paid).toMatchObject({ status: 200, body: { preimage: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  })
})
