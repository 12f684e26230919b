import { randomUUID } from 'node:crypto'
import type { CommandName } from 'uma-auth-vasp'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { endpointOfCommand } from '@/app/(dashboard)/developers/api/reference'
import { POST as send } from '@/app/sandbox/forms/send-call/route'
import { seedUsers } from '@/lib/accounts/seed'
import { listConnections, type ConnectionCard } from '@/lib/connections/queries'
import { revokeConnection } from '@/lib/connections/service'
import { findEvent, listEventsOfPayment } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import type { FullEvent } from '@/lib/events/types'
import { processSingletons } from '@/lib/platform/process-singletons'
import { createFaultInjector } from '@/lib/sandbox/faults/injector'
import { addFault } from '@/lib/sandbox/faults/service'
import { subjectsOf } from '@/lib/sandbox/wire/subject'
import { describeOnBothEngines } from '@/test/databases/databases'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, withParts, type TestVasp } from '@/test/vasp/vasp'
import { costOfCall } from './cost'
import { readCall } from './typed-call'

let signedIn = ''
let pastGate = true
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => pageSession(signedIn),
}))

type Typed = Readonly<Record<string, string>>
const BALANCE = 1_000_000n

describeOnBothEngines('A call from the API reference', (db) => {
  let vasp: TestVasp
  let alice: string
  let bob: string
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const plain = await makeTestVasp(db())
    const { log } = plain.app
    vasp = withParts(plain, { events: createEventRecorder({ db: db(), log }), faults: createFaultInjector(plain.app) })
  })
  beforeEach(async () => {
    processSingletons().set('application', vasp.app)
    processSingletons().set('protocol', vasp.auth)
    pastGate = true
    alice = await newUser(vasp, { SAT: BALANCE })
    bob = await newUser(vasp, { SAT: 0n })
    signedIn = alice
  })

  const press = async (command: string, fields: Typed = {}, origin = 'http://localhost:3000') => {
    const response = await send(
      new Request('http://localhost:3000/sandbox/forms/send-call', {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: signedIn, command, ...fields }),
      }),
    )
    const location = response.headers.get('location')
    expect(JSON.stringify([...response.headers])).not.toMatch(/ey[\w-]+\.ey[\w-]+/)
    return [response.status, location ?? (await response.text())] as const
  }
  const confirm = (command: string, fields: Typed, requestId: string = randomUUID()) =>
    press(command, { ...fields, confirmed: 'yes', request_id: requestId })
  const eventOf = async ([status, location]: readonly [number, string]): Promise<FullEvent> => {
    expect([status, location]).toEqual([303, expect.stringContaining('event=')])
    const id = BigInt(new URL(location, 'http://localhost').searchParams.get('event') ?? '')
    const event = await findEvent({ db: db() }, { userId: signedIn, withUnowned: false }, id)
    return event ?? expect.fail('the call has no event')
  }
  const connections = async (
    username = alice,
    tab: 'active' | 'ended' = 'active',
  ): Promise<readonly ConnectionCard[]> => (await listConnections(vasp.app, username, { tab })).connections
  const only = async (): Promise<ConnectionCard> => {
    const [one, ...more] = await connections()
    expect(more).toEqual([])
    return one ?? expect.fail('there is no connection')
  }
  const balance = async (username = alice): Promise<bigint> => (await walletOf(db(), username, 'SAT')).available
  const keysendTo = (username: string): Typed => ({
    amount: '25000',
    pubkey: vasp.app.node.identity.publicKeyHex,
    tlv_records: JSON.stringify([{ type: 696_969, value: Buffer.from(username).toString('hex') }]),
  })

  it('runs as the user through a connection that the user can revoke, and leads to its event', async () => {
    const event = await eventOf(await press('get_balance', { currency_code: 'SAT' }))
    const connection = await only()
    expect(connection).toMatchObject({
      name: 'made in the API reference',
      clientId: 'API reference',
      appHost: null,
      permissions: vasp.auth.commands,
    })
    expect(event).toMatchObject({
      kind: 'api_call',
      name: 'GET /balance',
      status: 200,
      userId: alice,
      connectionId: connection.id,
    })
    expect(JSON.parse(event.detail.response ?? '')).toMatchObject({ balance: 1_000 })
    const lifetimeMs = (connection.expiresAt?.getTime() ?? 0) - connection.createdAt.getTime()
    expect(Math.abs(lifetimeMs - 3_600_000)).toBeLessThan(5_000)
  })

  it('uses the same connection within the hour, and two first calls at once create one', async () => {
    const presses = await Promise.all([press('get_info'), press('get_balance'), press('get_info')])
    const events = await Promise.all([...presses, await press('get_info')].map(eventOf))
    const { id } = await only()
    expect(events.map((event) => event.connectionId)).toEqual([id, id, id, id])
  })

  it('creates a new connection after the user has revoked the last one', async () => {
    await eventOf(await press('get_info'))
    const first = await only()
    await revokeConnection(db(), first.id, alice)
    expect(await eventOf(await press('get_info'))).toMatchObject({ status: 200, connectionId: (await only()).id })
    expect((await only()).id).not.toBe(first.id)
  })

  it('creates a new connection after the hour is over', async () => {
    await eventOf(await press('get_info'))
    const first = await only()
    // The trigger that fixes the times of a connection is off for this statement only.
    const text = `do $aged$ begin
      set local session_replication_role = replica;
      update connections set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour' where id = '${first.id}';
    end $aged$`
    await db().query({ name: 'test_age', text })
    expect(await eventOf(await press('get_info'))).toMatchObject({ status: 200, connectionId: (await only()).id })
    expect(await connections(alice, 'ended')).toMatchObject([{ id: first.id }])
  })

  it('never uses another user’s connection, or one of an app that calls itself by the same name', async () => {
    signedIn = bob
    await eventOf(await press('get_info'))
    const [bobs] = await connections(bob)
    signedIn = alice
    const app = idOf(await vasp.connectionToken(alice))
    await db().prisma.connection.update({ where: { id: app }, data: { name: 'made in the API reference' } })
    const { connectionId, userId } = await eventOf(await press('get_info'))
    expect(userId).toBe(alice)
    expect([bobs?.id, app]).not.toContain(connectionId)
    expect((await connections()).map(({ id }) => id).toSorted()).toEqual([app, connectionId ?? ''].toSorted())
  })

  it('has the refusals and the faults of any call of an app', async () => {
    expect(await eventOf(await press('get_balance', { currency_code: 'NONE' }))).toMatchObject({
      status: 400,
      failedCheck: 'input',
    })
    const { id } = await only()
    const fault = { kind: 'INTERNAL', stage: 'before', calls: 1, minutes: 60, seconds: undefined } as const
    expect(await addFault(vasp.app, alice, { ...fault, connectionId: id })).toMatchObject({ kind: 'INTERNAL' })
    expect(await eventOf(await press('get_info'))).toMatchObject({ status: 500, injected: 'INTERNAL' })
    expect((await eventOf(await press('get_info'))).status).toBe(200)
  })

  it('is refused for a suspended user as any call is', async () => {
    const token = await vasp.connectionToken(alice)
    await eventOf(await press('get_info'))
    await db().prisma.user.update({ where: { id: alice }, data: { status: 'suspended' } })
    const { status } = await vasp.get('/info', token)
    expect(status).toBeGreaterThanOrEqual(401)
    expect((await eventOf(await press('get_info'))).status).toBe(status)
  })

  it('is not sent from another site, without the sandbox tools, or before the team password is entered', async () => {
    expect((await press('get_info', {}, 'https://other.example'))[0]).toBe(403)
    pastGate = false
    expect(await press('get_info')).toEqual([404, 'Not found.'])
    pastGate = true
    const settings = { ...vasp.app.settings, sandboxTools: false }
    processSingletons().set('application', { ...vasp.app, settings })
    expect(await press('get_info')).toEqual([404, 'Not found.'])
    expect(await connections()).toEqual([])
  })

  it('with a mistake returns to the form with the typed values, and creates nothing', async () => {
    const [status, location] = await press('make_invoice', { amount: 'ten', description: 'Tea' })
    const { pathname, searchParams, hash } = new URL(location, 'http://localhost')
    expect([status, pathname, hash]).toEqual([303, '/developers/api/make_invoice', '#amount'])
    expect(Object.fromEntries(searchParams)).toMatchObject({
      amount: 'ten',
      description: 'Tea',
      error: 'amount.number',
    })
    expect(await press('make_invoice', { amount: '1', description: 'x'.repeat(7_000) })).toEqual([
      303,
      expect.stringContaining('error=long'),
    ])
    for (const command of ['exchange_token', 'no_such_command', '__proto__'])
      expect((await press(command))[0], command).toBe(404)
    expect(await connections()).toEqual([])
  })

  it('that moves money asks first, and pays nothing before the confirmation', async () => {
    const [status, location] = await press('pay_keysend', keysendTo(bob))
    const { pathname, searchParams, hash } = new URL(location, 'http://localhost')
    expect([status, pathname, hash, searchParams.get('ask')]).toEqual([
      303,
      '/developers/api/pay_keysend',
      '#question',
      'yes',
    ])
    expect(Object.fromEntries(searchParams)).toMatchObject(keysendTo(bob))
    expect([await balance(), await balance(bob)]).toEqual([BALANCE, 0n])
  })

  it('pays once for a double click, also on two instances, and again after the next question', async () => {
    await press('pay_keysend', keysendTo(bob))
    const requestId = randomUUID()
    const once = () => {
      // Another instance knows no connection that is being created here.
      processSingletons().delete('api reference connections')
      return confirm('pay_keysend', keysendTo(bob), requestId)
    }
    const events = await Promise.all((await Promise.all([once(), once(), once()])).map(eventOf))
    expect(events.map((event) => event.status)).toEqual([200, 200, 200])
    expect([await balance(), await balance(bob)]).toEqual([BALANCE - 25_000n, 25_000n])
    await only()
    await eventOf(await confirm('pay_keysend', keysendTo(bob)))
    expect(await balance(bob)).toBe(50_000n)
  })

  it('of a paid invoice returns the stored result and moves no money', async () => {
    const { invoice, paymentHash } = await invoiceOf(vasp, bob, 'SAT', 10_000n)
    const first = await eventOf(await confirm('pay_invoice', { invoice }))
    const second = await eventOf(await confirm('pay_invoice', { invoice }))
    expect([first, second]).toMatchObject([
      { status: 200, paymentHash },
      { status: 200, paymentHash },
    ])
    expect(await balance(bob)).toBe(10_000n)
  })

  it('shows the amount and the wallet before it pays, or why it would not pay', async () => {
    const costOf = async (command: CommandName, typed: Typed) => {
      const call = readCall(endpointOfCommand(command)?.endpoint ?? expect.fail(command), typed)
      return 'field' in call ? expect.fail(call.field) : costOfCall(vasp.app, alice, command, call)
    }
    expect(await costOf('pay_keysend', keysendTo(bob))).toMatchObject({ debit: 25_000n, walletCode: 'SAT' })
    const dear = await invoiceOf(vasp, bob, 'SAT', BALANCE * 2n)
    expect(await costOf('pay_invoice', { invoice: dear.invoice })).toMatchObject({
      problem: expect.stringContaining('holds enough') as string,
    })
    const { invoice } = await invoiceOf(vasp, bob, 'SAT', 1_000n)
    expect(await costOf('pay_invoice', { invoice })).toMatchObject({ debit: 1_000n, walletCode: 'SAT' })
    await eventOf(await confirm('pay_invoice', { invoice }))
    expect(await costOf('pay_invoice', { invoice })).toMatchObject({ problem: 'You have paid this invoice already.' })
    const open = await invoiceOf(vasp, bob, 'SAT')
    expect(await costOf('pay_invoice', { invoice: open.invoice })).toMatchObject({
      problem: expect.stringContaining('amount is required') as string,
    })
    const receiver = { receiver_address: `$${bob}@localhost:3000`, sending_currency_amount: '10' }
    expect(await costOf('pay_to_address', { ...receiver, sending_currency_code: 'SAT' })).toMatchObject({
      debit: 10_000n,
      walletCode: 'SAT',
      payee: receiver.receiver_address,
    })
    expect(await costOf('pay_to_address', { ...receiver, sending_currency_code: 'NONE' })).toMatchObject({
      problem: 'The API will refuse these values.',
    })
    expect(await costOf('execute_quote', { payment_hash: 'ab'.repeat(32) })).toMatchObject({
      problem: 'This quote no longer exists.',
    })
  })

  it('is linked to its payment, for the owner only', async () => {
    const { invoice, paymentHash } = await invoiceOf(vasp, bob, 'SAT', 10_000n)
    await eventOf(await confirm('pay_invoice', { invoice }))
    const namesFor = async (username: string): Promise<string[]> =>
      (await listEventsOfPayment({ db: db() }, username, paymentHash, 20)).map(({ name }) => name).toSorted()
    expect(await namesFor(alice)).toEqual(['POST /payments/bolt11', 'payment succeeded'])
    expect(await subjectsOf(db(), alice, paymentHash)).toEqual([
      { kind: 'payment', href: `/wallets/sent/${paymentHash}` },
    ])
    expect(await namesFor(bob)).toEqual(['invoice created', 'invoice paid'])
    expect(await subjectsOf(db(), bob, paymentHash)).toEqual([{ kind: 'invoice', href: `/invoices/${paymentHash}` }])
    expect(await namesFor(await newUser(vasp, { SAT: 0n }))).toEqual([])
  })
})
