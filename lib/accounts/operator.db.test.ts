import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { readWallets } from '@/lib/ledger/accounts'
import { walletForKeysend } from '@/lib/payments/receive'
import { findPayableUser } from '@/lib/uma/find-payable-user'
import { describeOnBothEngines } from '@/test/databases/databases'
import { expectSound } from '@/test/vasp/leaving'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { LISTED, operateUsers, UsersRequest } from './operator'
import { openSession, userOfSession } from './sessions/session-store'
import { signIn } from './sign-in/sign-in'

const PASSWORD = 'carol has this password'
const NO_MONEY = [{ code: 'USD', opening: '0' }]

describeOnBothEngines('The users command', (db) => {
  const operate = (vasp: TestVasp, request: Record<string, unknown>, sandboxTools = true) =>
    operateUsers({ ...vasp.app, sandboxTools }, UsersRequest.parse(request))
  const add = async (vasp: TestVasp, wallets: { code: string; opening: string }[], sandboxTools = true) => {
    const username = `c${randomUUID().slice(0, 8)}`
    const request = { do: 'add', username, displayName: 'Carol', wallets, password: PASSWORD }
    return { username, reply: await operate(vasp, request, sandboxTools) }
  }

  it('adds a user with wallets and opening balances, lists the user, and refuses a name that is in use', async () => {
    const vasp = await makeTestVasp(db())
    const { username, reply } = await add(vasp, [
      { code: 'USD', opening: '100000' },
      { code: 'SAT', opening: '7' },
    ])
    expect(reply).toEqual({ done: true, lines: [`${username} was added.`] })
    const wallets = await readWallets(db(), username)
    expect(wallets.map(({ code, available }) => [code, available])).toEqual([
      ['USD', 100_000n],
      ['SAT', 7_000n],
    ])
    expect((await signIn(vasp.app, username, PASSWORD)).kind).toBe('signed-in')
    expect((await operate(vasp, { do: 'list' })).lines).toContain(`${username}  active  USD SAT`)
    const again = {
      do: 'add',
      username,
      displayName: 'C',
      wallets: [{ code: 'USD', opening: '0' }],
      password: PASSWORD,
    }
    expect((await operate(vasp, again)).done).toBe(false)
    await expectSound(db())
  })

  it('lists all users, however many there are', async () => {
    const vasp = await makeTestVasp(db())
    await db().query({
      name: 'many_users',
      text: `insert into users (id, display_name, password_hash, status)
               select 'many-' || n, 'Many', 'none', case n % 10 when 0 then 'closed' else 'active' end
               from generate_series(1, ${2 * LISTED + 500}) n`,
    })
    const names: string[] = []
    for (let after: string | undefined, parts = 0; parts < 10; parts++) {
      const { lines, next } = await operate(vasp, { do: 'list', ...(after === undefined ? {} : { after }) })
      names.push(...lines.map((line) => line.split(' ', 1)[0] ?? ''))
      expect(lines.length).toBeLessThanOrEqual(LISTED)
      if (next === undefined) break
      after = next
    }
    expect(names.filter((name) => name.startsWith('many-'))).toHaveLength((2 * LISTED + 500) * 0.9)
    expect(new Set(names).size).toBe(names.length)
  })

  it('refuses an opening balance without sandbox tools', async () => {
    const vasp = await makeTestVasp(db())
    expect((await add(vasp, [{ code: 'USD', opening: '1' }], false)).reply.done).toBe(false)
    expect((await add(vasp, [{ code: 'USD', opening: '0' }], false)).reply.done).toBe(true)
  })

  it('refuses a suspended user’s sign-in, session, API calls, exchanges and new incoming payments until the user is resumed', async () => {
    const vasp = await makeTestVasp(db())
    const { username } = await add(vasp, [{ code: 'SAT', opening: '1000' }])
    const payer = await newUser(vasp, { SAT: 50_000_000n })
    const payerToken = await vasp.connectionToken(payer, ['pay_invoice'])
    const { invoice } = await invoiceOf(vasp, username, 'SAT', 5_000n)
    const [login, token] = [await vasp.loginToken(username), await vasp.connectionToken(username, ['get_balance'])]
    const sessionId = randomUUID()
    await openSession(db(), sessionId, username)

    expect((await operate(vasp, { do: 'suspend', username })).done).toBe(true)
    expect((await operate(vasp, { do: 'suspend', username })).done).toBe(false)
    expect((await signIn(vasp.app, username, PASSWORD)).kind).toBe('suspended')
    expect((await userOfSession(db(), sessionId))?.suspended).toBe(true)
    expect((await vasp.get('/balance', token)).status).toBe(401)
    expect((await vasp.exchange(login, { permissions: ['get_balance'] })).status).toBe(401)
    expect(await findPayableUser(db(), username)).toBe('suspended')
    expect(await walletForKeysend({ db: db() }, username)).toBeUndefined()

    expect((await operate(vasp, { do: 'resume', username })).done).toBe(true)
    expect((await vasp.get('/balance', token)).status).toBe(200)
    expect((await vasp.post('/payments/bolt11', payerToken, { invoice })).status).toBe(200)
    expect((await signIn(vasp.app, username, PASSWORD)).kind).toBe('signed-in')
    await expectSound(db())
  })

  it('changes the password, and removes a user permanently but keeps the ledger entries and the balance', async () => {
    const vasp = await makeTestVasp(db())
    const { username } = await add(vasp, [{ code: 'SAT', opening: '7' }])
    const ledger = async () => [
      await db().prisma.posting.count({ where: { account: { wallet: { userId: username } } } }),
      (await readWallets(db(), username)).map(({ available }) => available),
    ]
    const before = await ledger()
    expect(before).toEqual([1, [7_000n]])
    const password = 'another password'
    expect((await operate(vasp, { do: 'password', username, password })).done).toBe(true)
    expect((await signIn(vasp.app, username, PASSWORD)).kind).toBe('refused')
    expect((await signIn(vasp.app, username, password)).kind).toBe('signed-in')
    expect((await operate(vasp, { do: 'remove', username })).done).toBe(true)
    for (const request of [
      { do: 'remove', username },
      { do: 'resume', username },
      { do: 'suspend', username },
      { do: 'password', username, password },
      { do: 'add', username, displayName: 'C', wallets: [{ code: 'USD', opening: '0' }], password },
    ])
      expect((await operate(vasp, request)).done, request.do).toBe(false)
    expect(await ledger()).toEqual(before)
    expect(vasp.logged.join('\n')).not.toContain(password)
    await expectSound(db())
  })

  it('ends all sessions of a user, and keeps connections, when the password changes and on request', async () => {
    const vasp = await makeTestVasp(db())
    const [{ username }, { username: other }] = [await add(vasp, NO_MONEY), await add(vasp, NO_MONEY)]
    const token = await vasp.connectionToken(username, ['get_balance'])
    for (const request of [
      { do: 'password', username, password: 'another password' },
      { do: 'sign-out', username },
    ]) {
      const [first, second, others] = [randomUUID(), randomUUID(), randomUUID()]
      for (const id of [first, second]) await openSession(db(), id, username)
      await openSession(db(), others, other)
      expect((await operate(vasp, request)).done).toBe(true)
      const open = await Promise.all([first, second, others].map((id) => userOfSession(db(), id)))
      expect(open.map((user) => user?.username)).toEqual([undefined, undefined, other])
    }
    expect((await signIn(vasp.app, username, 'another password')).kind).toBe('signed-in')
    expect((await vasp.get('/balance', token)).status).toBe(200)
    for (const name of [`no-${username}`, username]) {
      if (name === username) await operate(vasp, { do: 'remove', username })
      expect((await operate(vasp, { do: 'sign-out', username: name })).done, name).toBe(false)
    }
  })

  it.each([
    { do: 'add', username: 'Carol', displayName: 'C', wallets: [{ code: 'USD', opening: '0' }], password: PASSWORD },
    { do: 'add', username: 'carol', displayName: 'C', wallets: [{ code: 'XYZ', opening: '0' }], password: PASSWORD },
    { do: 'add', username: 'carol', displayName: 'C', wallets: [{ code: 'USD', opening: '-1' }], password: PASSWORD },
    { do: 'add', username: 'carol', displayName: 'C', wallets: [], password: PASSWORD },
    { do: 'password', username: 'carol', password: 'short' },
    { do: 'close', username: 'carol' },
    { do: 'sign-out' },
    { do: 'sign-out', username: 'Carol' },
  ])('refuses the request %j', (request) => {
    expect(UsersRequest.safeParse(request).success).toBe(false)
  })
})
