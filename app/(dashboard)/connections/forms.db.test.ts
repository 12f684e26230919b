import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { POST as rename } from '@/app/(dashboard)/connections/rename/route'
import { POST as revokeUnused } from '@/app/(dashboard)/connections/revoke-unused/route'
import { POST as revoke } from '@/app/(dashboard)/connections/revoke/route'
import { seedUsers } from '@/lib/accounts/seed'
import { findConnectionCard } from '@/lib/connections/queries'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

let signedIn = 'alice'
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  sessionOfRequest: async () => pageSession(signedIn),
}))

describeOnBothEngines('the forms of a connection', (db) => {
  let vasp: TestVasp
  let bobsToken = ''
  let alicesToken = ''
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    processSingletons().set('application', vasp.app)
  })
  beforeEach(async () => {
    signedIn = 'alice'
    bobsToken = await vasp.connectionToken('bob', ['get_info'])
    alicesToken = await vasp.connectionToken('alice', ['get_info'])
  })

  const send = async (route: typeof revoke, fields: Readonly<Record<string, string>>): Promise<[number, string]> => {
    const request = new Request('http://localhost:3000/connections', {
      method: 'POST',
      headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_user: signedIn, ...fields }),
    })
    const response = await route(request)
    return [response.status, response.headers.get('location') ?? (await response.text())]
  }
  const nameOf = async (username: string, id: string): Promise<string | undefined> =>
    (await findConnectionCard(vasp.app, username, id))?.name
  const NOT_YOURS = [404, 'You have no such connection. Nothing was changed.']

  it('revoke the user’s own connection, and a second press gives the same answer', async () => {
    const id = idOf(alicesToken)
    expect(await send(revoke, { id })).toEqual([303, '/connections?done=revoked'])
    expect((await vasp.get('/info', alicesToken)).status).toBe(401)
    expect(await send(revoke, { id })).toEqual([303, '/connections?done=revoked'])
  })

  it('answer 404 to revoking another user’s connection, which keeps working', async () => {
    expect(await send(revoke, { id: idOf(bobsToken) })).toEqual(NOT_YOURS)
    expect((await vasp.get('/info', bobsToken)).status).toBe(200)
    expect(await nameOf('bob', idOf(bobsToken))).toBeDefined()
  })

  it('answer 404 to renaming another user’s connection, which keeps its name', async () => {
    const before = await nameOf('bob', idOf(bobsToken))
    expect(await send(rename, { id: idOf(bobsToken), name: 'Stolen' })).toEqual(NOT_YOURS)
    expect(await nameOf('bob', idOf(bobsToken))).toBe(before)
  })

  it('rename the user’s own connection', async () => {
    const id = idOf(alicesToken)
    expect(await send(rename, { id, name: 'My shop' })).toEqual([303, '/connections?done=renamed'])
    expect(await nameOf('alice', id)).toBe('My shop')
  })

  it.each([
    ['Family 👨\u200d👩\u200d👧 \u0634', true],
    ['Bank\u200b', false],
    ['a\u202eb', false],
    ['a\u200db', false],
    ['\u3164', false],
    ['two\nlines', false],
    ['x'.repeat(81), false],
  ])('rename a connection to %j: %s', async (name, isTaken) => {
    const id = idOf(alicesToken)
    const before = await nameOf('alice', id)
    const [status, where] = await send(rename, { id, name })
    expect([status, where.includes('error=name.invalid')]).toEqual([303, !isTaken])
    expect(await nameOf('alice', id)).toBe(isTaken ? name : before)
  })

  it.each(['', 'no-such-connection', 'a\0b', 'x'.repeat(65)])(
    'answer 404 to revoking the unknown id %j',
    async (id) => {
      expect(await send(revoke, { id })).toEqual(NOT_YOURS)
    },
  )

  it('answer 404 to renaming an unknown id', async () => {
    expect(await send(rename, { id: 'no-such-connection', name: 'x' })).toEqual(NOT_YOURS)
  })

  it('revoke the user’s own unused connections together, and record how many', async () => {
    const text = `update connections set last_used_at = now() - interval '2 hours' where id = any ($1::text[])`
    // A call in the last hour keeps this one.
    const used = await vasp.connectionToken('alice', ['get_info'])
    expect((await vasp.get('/info', used)).status).toBe(200)
    await db().query({ name: 'test_age', text }, [[idOf(alicesToken), idOf(bobsToken)]])
    expect(await send(revokeUnused, { hours: '1' })).toEqual([303, '/connections?done=revoked-unused'])
    expect(vasp.recorded.at(-1)).toMatchObject({
      name: 'unused connections revoked',
      userId: 'alice',
      summary: '1 without a call in the last 1 hour',
    })
    const states = [alicesToken, bobsToken, used].map(async (token) => (await vasp.get('/info', token)).status)
    expect(await Promise.all(states)).toEqual([401, 200, 200])
  })

  it.each(['', '0', '-1', '2', '1e9', '24 hours'])(
    'answer 400 to revoking unused ones with %j hours',
    async (hours) => {
      expect((await send(revokeUnused, { hours }))[0]).toBe(400)
      expect((await vasp.get('/info', alicesToken)).status).toBe(200)
    },
  )
})
