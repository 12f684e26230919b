import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { POST as replay } from '@/app/sandbox/forms/replay/route'
import { seedUsers } from '@/lib/accounts/seed'
import { revokeConnection } from '@/lib/connections/service'
import { findEvent, listEvents, listEventsOfPayment, listReplays } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import type { EventRow, FullEvent } from '@/lib/events/types'
import { processSingletons } from '@/lib/platform/process-singletons'
import { canReplay, planReplay } from '@/lib/sandbox/wire/replay'
import { subjectsOf } from '@/lib/sandbox/wire/subject'
import { describeOnBothEngines } from '@/test/databases/databases'
import { appAt } from '@/test/vasp/app-at'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { apiOf, idOf, makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { makeProtocol } from '../../backend/protocol'
import { costOfCall } from '../api-reference/cost'

let signedIn = ''
let pastGate = true
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => pageSession(signedIn),
}))

const ALL = ['get_balance', 'make_invoice', 'lookup_invoice', 'pay_invoice', 'pay_keysend']
const BALANCE = 1_000_000n

describeOnBothEngines('A replay', (db) => {
  let vasp: TestVasp
  let alice: string
  let bob: string
  let token: string
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const plain = await makeTestVasp(db())
    const app = { ...plain.app, events: createEventRecorder({ db: db(), log: plain.app.log }) }
    const auth = makeProtocol(app)
    vasp = { ...plain, app, auth, api: apiOf(auth) }
    processSingletons().set('application', app)
    processSingletons().set('protocol', auth)
  })
  beforeEach(async () => {
    pastGate = true
    alice = await newUser(vasp, { SAT: BALANCE })
    bob = await newUser(vasp, { SAT: 0n })
    token = await vasp.connectionToken(alice, ALL)
    signedIn = alice
  })

  const send = async (path: string, body?: object, bearer = token): Promise<Answer> => {
    const init = { headers: { Authorization: `Bearer ${bearer}` } }
    const request = new Request(`http://localhost:3000/umanwc/v1${path}`, {
      ...init,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return read(await vasp.api(request))
  }
  const newest = async (username = alice): Promise<EventRow> => {
    await vasp.app.events.flush()
    const [event] = await listEvents(
      { db: db() },
      { userId: username, withUnowned: false },
      { kinds: ['api_call'], limit: 1 },
    )
    if (event === undefined) throw new Error('the call has no event')
    return event
  }
  const full = async (id: bigint): Promise<FullEvent> => {
    const event = await findEvent({ db: db() }, { userId: alice, withUnowned: false }, id)
    if (event === undefined) throw new Error('the event is missing')
    return event
  }
  const press = async (id: bigint, fields: Record<string, string> = {}): Promise<[number, string]> => {
    const response = await replay(
      new Request('http://localhost:3000/sandbox/forms/replay', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: signedIn, id: String(id), ...fields }),
      }),
    )
    return [response.status, response.headers.get('location') ?? (await response.text())]
  }
  const confirm = (id: bigint, requestId = randomUUID()): Promise<[number, string]> =>
    press(id, { confirmed: 'yes', request_id: requestId })
  const replayedAs = async ([status, location]: [number, string]): Promise<FullEvent> => {
    expect(status).toBe(303)
    return full(BigInt(location.replace('/developers/wire/', '')))
  }
  const balance = async (username = alice): Promise<bigint> => (await walletOf(db(), username, 'SAT')).available
  const connections = async (): Promise<bigint | undefined> =>
    (await db().query<{ count: bigint }>({ name: 'test_count', text: 'select count(*) as count from connections' }))[0]
      ?.count
  const keysendTo = (username: string): object => ({
    amount: 25_000,
    pubkey: vasp.app.node.identity.publicKeyHex,
    tlv_records: [{ type: 696_969, value: Buffer.from(username).toString('hex') }],
  })

  it('of a read runs as its connection, and leads to an event that refers to the original call, for its user only', async () => {
    await send('/balance?currency_code=SAT')
    const first = await newest()
    const before = await connections()
    const second = await replayedAs(await press(first.id))
    expect(second).toMatchObject({
      kind: 'api_call',
      name: 'GET /balance',
      status: 200,
      replayOf: first.id,
      userId: alice,
      connectionId: idOf(token),
    })
    expect(JSON.parse(second.detail.response ?? '')).toMatchObject({ balance: 1_000 })
    expect(await listReplays({ db: db() }, alice, first.id, 10)).toMatchObject([{ id: second.id }])
    expect(await listReplays({ db: db() }, bob, first.id, 10)).toEqual([])
    expect(await connections()).toBe(before)
  })

  it('can itself be replayed', async () => {
    await send('/balance')
    const first = await newest()
    const second = await replayedAs(await press(first.id))
    expect(await replayedAs(await press(second.id))).toMatchObject({ status: 200, replayOf: second.id })
  })

  it('is not found for another user, without the sandbox tools, or before the team password is entered', async () => {
    await send('/balance')
    const { id } = await newest()
    signedIn = bob
    expect(await press(id)).toEqual([404, 'You have no such event. Nothing was sent.'])
    signedIn = alice
    pastGate = false
    expect(await press(id)).toEqual([404, 'Not found.'])
    pastGate = true
    const { app } = vasp
    processSingletons().set('application', { ...app, settings: { ...app.settings, sandboxTools: false } })
    expect(await press(id)).toEqual([404, 'Not found.'])
    processSingletons().set('application', app)
    expect((await newest()).id).toBe(id)
  })

  it('of an event without an owner is not found, even if the user sees that event', async () => {
    vasp.app.events.record({ kind: 'api_call', name: 'GET /balance', status: 401, failedCheck: 'bearer' })
    await vasp.app.events.flush()
    const [unowned] = await listEvents({ db: db() }, { userId: alice, withUnowned: true }, { limit: 1 })
    expect(unowned?.userId).toBeNull()
    expect(await press(unowned?.id ?? 0n)).toEqual([404, 'You have no such event. Nothing was sent.'])
  })

  it('is refused by the account check when the connection was revoked', async () => {
    await send('/balance')
    const { id } = await newest()
    await revokeConnection(db(), idOf(token), alice)
    expect(await replayedAs(await press(id))).toMatchObject({ status: 401, failedCheck: 'account', replayOf: id })
  })

  it('is refused by the token check when the connection has expired', async () => {
    const expiration = Math.floor(Date.now() / 1_000) + 60
    const { body } = await vasp.exchange(await vasp.loginToken(alice), { permissions: ALL, expiration })
    await send('/balance', undefined, String(body.token))
    const { id, status } = await newest()
    expect(status).toBe(200)
    const { auth } = vasp
    onTestFinished(() => void processSingletons().set('protocol', auth))
    processSingletons().set('protocol', makeProtocol(appAt(vasp, new Date(expiration * 1_000))))
    const second = await replayedAs(await press(id))
    expect(second).toMatchObject({ status: 401, failedCheck: 'bearer', replayOf: id })
    expect(second.detail.facts).toMatchObject({ bearerFault: 'expired' })
  })

  it('is refused by the scope check when the connection has no such permission', async () => {
    const few = await vasp.connectionToken(alice, ['get_info'])
    expect((await send('/balance', undefined, few)).status).toBe(403)
    const { id } = await newest()
    expect(await replayedAs(await press(id))).toMatchObject({ status: 403, failedCheck: 'scope', replayOf: id })
  })

  it('of a payment asks for confirmation, and pays nothing before it', async () => {
    await send('/payments/keysend', keysendTo(bob))
    const { id } = await newest()
    const paid = await balance()
    expect(paid).toBe(BALANCE - 25_000n)
    expect(await press(id)).toEqual([303, `/developers/wire/${id}/replay`])
    expect(await balance()).toBe(paid)
  })

  it('of a keysend pays again when it is confirmed, and only once for a double click', async () => {
    await send('/payments/keysend', keysendTo(bob))
    const { id } = await newest()
    const requestId = randomUUID()
    const presses = await Promise.all([confirm(id, requestId), confirm(id, requestId), confirm(id, requestId)])
    const events = await Promise.all(presses.map(replayedAs))
    expect(events.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(events.map((event) => event.id)).size).toBe(1)
    expect([await balance(), await balance(bob)]).toEqual([BALANCE - 50_000n, 50_000n])
    await replayedAs(await confirm(id))
    expect(await balance(bob)).toBe(75_000n)
  })

  it('of make_invoice creates one invoice for a double click, and another one for the next confirmation', async () => {
    await send('/invoice', { amount: 1_000, description: 'Tea' })
    const { id } = await newest()
    const invoices = async (): Promise<number> =>
      (await db().query({ name: 'test_invoices', text: 'select from invoices where user_id = $1' }, [alice])).length
    expect(await invoices()).toBe(1)
    const requestId = randomUUID()
    const presses = await Promise.all([confirm(id, requestId), confirm(id, requestId), confirm(id, requestId)])
    presses.push(await confirm(id, requestId))
    const replays = await Promise.all(presses.map(replayedAs))
    expect(new Set(replays.map((event) => event.id)).size).toBe(1)
    expect(await invoices()).toBe(2)
    await replayedAs(await confirm(id))
    expect(await invoices()).toBe(3)
  })

  it('of a refused call is sent again by the same form', async () => {
    const { invoice } = await invoiceOf(vasp, bob, 'SAT', BALANCE * 2n)
    await send('/payments/bolt11', { invoice })
    const { id } = await newest()
    const requestId = randomUUID()
    const first = await replayedAs(await confirm(id, requestId))
    const second = await replayedAs(await confirm(id, requestId))
    expect([first.status, second.status]).toEqual([400, 400])
    expect(second.id).not.toBe(first.id)
  })

  it('of a double click on another instance pays once', async () => {
    await send('/payments/keysend', keysendTo(bob))
    const { id } = await newest()
    const requestId = randomUUID()
    await replayedAs(await confirm(id, requestId))
    processSingletons().delete('replays')
    await replayedAs(await confirm(id, requestId))
    expect(await balance(bob)).toBe(50_000n)
  })

  it('of a paid invoice returns the stored result and moves no money', async () => {
    const { invoice, paymentHash } = await invoiceOf(vasp, bob, 'SAT', 10_000n)
    await send('/payments/bolt11', { invoice })
    const first = await full((await newest()).id)
    const second = await replayedAs(await confirm(first.id))
    expect([first.paymentHash, second.paymentHash]).toEqual([paymentHash, paymentHash])
    expect(second).toMatchObject({ status: 200, replayOf: first.id })
    expect(await balance(bob)).toBe(10_000n)
  })

  it('of a call whose body was masked is not sent', async () => {
    await send('/payments/keysend', { ...keysendTo(bob), preimage: 'ab'.repeat(32) })
    const { id } = await newest()
    const paid = await balance()
    expect(await confirm(id)).toEqual([303, `/developers/wire/${id}#replay`])
    expect(await balance()).toBe(paid)
    expect((await newest()).id).toBe(id)
  })

  it('of a payment shows the amount and the wallet before it pays, or why it would not pay', async () => {
    const costOf = async (id: bigint) => {
      const plan = planReplay(await full(id), alice)
      if (!canReplay(plan)) throw new Error('the call cannot be replayed')
      return costOfCall(vasp.app, alice, plan.command.name, plan)
    }
    await send('/payments/keysend', keysendTo(bob))
    expect(await costOf((await newest()).id)).toMatchObject({ debit: 25_000n, walletCode: 'SAT' })
    const { invoice } = await invoiceOf(vasp, bob, 'SAT', BALANCE * 2n)
    expect((await send('/payments/bolt11', { invoice })).status).toBe(400)
    expect(await costOf((await newest()).id)).toMatchObject({
      problem: expect.stringContaining('holds enough') as string,
    })
    const paid = await invoiceOf(vasp, bob, 'SAT', 1_000n)
    await send('/payments/bolt11', { invoice: paid.invoice })
    expect(await costOf((await newest()).id)).toMatchObject({ problem: 'You have paid this invoice already.' })
    const open = await invoiceOf(vasp, bob, 'SAT')
    await send('/payments/bolt11', { invoice: open.invoice })
    const { id } = await newest()
    expect(await costOf(id)).toMatchObject({ problem: expect.stringContaining('amount is required') as string })
  })

  it('starts from a call that is linked to its payment, for the owner only', async () => {
    const { invoice, paymentHash } = await invoiceOf(vasp, bob, 'SAT', 10_000n)
    await send('/payments/bolt11', { invoice })
    await vasp.app.events.flush()
    const names = (await listEventsOfPayment({ db: db() }, alice, paymentHash, 20)).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['POST /payments/bolt11', 'payment succeeded'])
    expect(await subjectsOf(db(), alice, paymentHash)).toEqual([
      { kind: 'payment', href: `/wallets/sent/${paymentHash}` },
    ])
    expect(await subjectsOf(db(), bob, paymentHash)).toEqual([{ kind: 'invoice', href: `/invoices/${paymentHash}` }])
    const theirs = (await listEventsOfPayment({ db: db() }, bob, paymentHash, 20)).map(({ name }) => name)
    expect(theirs.toSorted()).toEqual(['invoice created', 'invoice paid'])
    const stranger = await newUser(vasp, { SAT: 0n })
    expect(await listEventsOfPayment({ db: db() }, stranger, paymentHash, 20)).toEqual([])
  })
})
