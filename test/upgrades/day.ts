import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMMANDS } from 'uma-auth-vasp'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { endSession } from '@/lib/accounts/sessions/session-store'
import { signIn } from '@/lib/accounts/sign-in/sign-in'
import { insertLoginGrant } from '@/lib/connections/login-grants'
import { renameConnection, revokeConnection, revokeToday } from '@/lib/connections/service'
import { buildInvoice, createInvoice } from '@/lib/invoices/service'
import { makeSimulatedNode } from '@/lib/lightning/simulated-node/node'
import { rateOf } from '@/lib/money/currencies'
import { operate } from '@/lib/payments/operator'
import { awaitResult } from '@/lib/payments/service'
import { writeOffPayment } from '@/lib/payments/write-off'
import { executeQuote } from '@/lib/quotes/service'
import { previewUmaInvoice, quoteUmaInvoice } from '@/lib/quotes/uma-invoice'
import { createUmaInvoice } from '@/lib/uma/invoices/create'
import { declineRequest, listRequests } from '@/lib/uma/invoices/requests'
import { sendUmaRequest } from '@/lib/uma/invoices/send-request'
import { exchange, pullFaucet } from '@/lib/wallets/service'
import { USER_RECORD } from '../lightning/sandbox-nodes'
import { makeScriptedNode } from '../lightning/scripted-node'
import type { ServedVasp, TwoVasps } from '../uma/two-vasps'
import { walletOf } from '../vasp/money'
import { testPasswords } from '../vasp/passwords'
import { idOf, makeTestVasp, type Answer, type TestVasp } from '../vasp/vasp'
import type { Unfinished } from './fixture'
import type { West, WestInvoice } from './west'

const PASSWORD = 'a password of the sandbox'
const DAY_SECONDS = 86_400
/** An open invoice of a fixture can be paid for 60 years: the database's clock decides, and no test can set it. */
const OPEN_SECONDS = 60 * 365 * DAY_SECONDS
const OPEN_MSATS = 21_000_000n

interface Tokens {
  readonly alice: string
  readonly bob: string
  /** An invoice of a user of the south. */
  readonly southern: string
}

/** Fills the database of the north with a day's data through its use cases. Returns what is still open at the end. */
export async function spendDay(both: TwoVasps, west: West): Promise<Unfinished> {
  const { north, south } = both
  for (const { app } of [north, south]) {
    await seedUsers(app.db, PASSWORD, testPasswords)
    await seedOpeningBalances(app.db, app.house)
  }
  const tokens = await connect(north, south)
  const openInvoice = await payInside(north, tokens)
  await payOverLightning(north, south, tokens)
  await payAddresses(north, south, tokens)
  await payUmaInvoices(north, south)
  for (const { app } of [north, south, north, south]) await app.uma?.callbacks.round()
  const sendingPayment = await payWest(north, west)
  await receiveForNobody(north, west)
  // The other VASP is gone before it receives the callback, so the callback is still due.
  await payAddress(north, tokens.alice, `$bob@${south.domain}`, { sending_currency_code: 'USD' })
  await both.stop()
  await north.app.uma?.callbacks.round()
  return { openInvoice, sendingPayment }
}

async function connect(north: ServedVasp, south: ServedVasp): Promise<Tokens> {
  const { app } = north
  const permissions = COMMANDS.map(({ name }) => name)
  const sessions = await Promise.all(['alice', 'alice', 'bob'].map((username) => signedIn(north, username)))
  const [sessionId = '', ended = ''] = sessions
  await endSession(app.db, ended)
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 600
  const grant = { id: randomUUID(), userId: 'alice', sessionId, expiresAtSeconds }
  await insertLoginGrant(app.db, { ...grant, appHost: 'shop.example', clientId: 'npub1shop' })
  const [alice, renamed, revoked, bob] = [
    await north.connectionToken('alice', permissions),
    await north.connectionToken('alice', ['get_balance']),
    await north.connectionToken('alice', permissions),
    await north.connectionToken('bob', permissions),
  ]
  await renameConnection(app.db, idOf(renamed), 'alice', 'Budget app')
  await revokeConnection(app.db, idOf(revoked), 'alice')
  await north.connectionToken('yuki', ['get_balance'])
  await revokeToday(app.db, 'yuki')
  return { alice, bob, southern: await south.connectionToken('alice', permissions) }
}

async function signedIn({ app }: TestVasp, username: string): Promise<string> {
  const result = await signIn(app, username, PASSWORD)
  if (result.kind !== 'signed-in') throw new Error(`${username} could not sign in: ${result.kind}`)
  return result.sessionId
}

async function payInside(north: ServedVasp, tokens: Tokens): Promise<Unfinished['openInvoice']> {
  const { app } = north
  await pullFaucet(app, 'penny', 'USD', 'first')
  await exchange(app, { username: 'alice', from: 'USD', to: 'EUR', amount: 1_000n, requestId: 'first' })
  const make = async (
    amountMsats: bigint | undefined,
    expirySeconds: number,
    description: string,
    username = 'bob',
  ) => {
    const wallet = await walletOf(app.db, username, 'SAT')
    return createInvoice(app, { username, wallet, amountMsats, expirySeconds, description })
  }
  const paid = await make(5_000_000n, 3_600, 'Two coffees')
  await pay(north, tokens.alice, paid.invoice)
  await make(undefined, DAY_SECONDS, 'Tip jar')
  await make(1_000_000n, 1, 'Expired')
  const open = await make(OPEN_MSATS, OPEN_SECONDS, 'Bicycle', 'alice')
  const keysend = { amount: 2_000_000, pubkey: app.node.identity.publicKeyHex, tlv_records: recordOf('bob') }
  await north
    .post('/payments/keysend', tokens.alice, keysend, { 'Idempotency-Key': 'keysend-1' })
    .then(expectStatus(200))
  return {
    paymentHash: open.paymentHash,
    invoice: open.invoice,
    amountMsats: String(OPEN_MSATS),
    payee: 'alice',
    payer: 'bob',
  }
}

async function payOverLightning(north: ServedVasp, south: ServedVasp, tokens: Tokens): Promise<void> {
  const invoiceOf = async ({ app }: TestVasp, username: string, amountMsats: bigint) =>
    createInvoice(app, {
      username,
      wallet: await walletOf(app.db, username, 'SAT'),
      amountMsats,
      description: 'Book',
    })
  await pay(north, tokens.alice, (await invoiceOf(south, 'bob', 7_000_000n)).invoice)
  await pay(south, tokens.southern, (await invoiceOf(north, 'bob', 3_000_000n)).invoice)
  for (const [from, to, token] of [
    [north, south, tokens.bob],
    [south, north, tokens.southern],
  ] as const) {
    const body = { amount: 1_000_000, pubkey: to.app.node.identity.publicKeyHex, tlv_records: recordOf('bob') }
    await from.post('/payments/keysend', token, body).then(expectStatus(200))
  }
  // Their node signed it, and their VASP does not know it.
  const wallet = await walletOf(south.app.db, 'bob', 'SAT')
  const unknown = await buildInvoice(south.app, { wallet, amountMsats: 2_000_000n, rates: rateOf })
  await pay(north, tokens.alice, unknown.invoice, 400)
}

const recordOf = (username: string) => [{ type: USER_RECORD, value: Buffer.from(username).toString('hex') }]

async function payAddresses(north: ServedVasp, south: ServedVasp, tokens: Tokens): Promise<void> {
  const quote = async (receiver: string, to: string): Promise<string> => {
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: to,
      locked_currency_amount: '500',
      locked_currency_side: 'receiving',
      receiver_address: receiver,
    }
    const { body } = await north.get(`/quote/lud16?${new URLSearchParams(query)}`, tokens.alice).then(expectStatus(200))
    return String(body.payment_hash)
  }
  await quote(`$alice@${south.domain}`, 'EUR')
  for (const [receiver, code] of [
    [`$alice@${south.domain}`, 'EUR'],
    [`$yuki@${north.domain}`, 'JPY'],
  ] as const)
    await north.post(`/quote/${await quote(receiver, code)}`, tokens.alice, {}).then(expectStatus(200))
  const usd = { sending_currency_code: 'USD', receiving_currency_code: 'JPY' }
  await payAddress(north, tokens.alice, `$yuki@${south.domain}`, usd, { 'Idempotency-Key': 'order-1' })
  await payAddress(north, tokens.alice, `bob@${south.domain}`, { sending_currency_code: 'USD' })
  await payAddress(south, tokens.southern, `$alice@${north.domain}`, { ...usd, receiving_currency_code: 'EUR' })
  await payAddress(south, tokens.southern, `bob@${north.domain}`, { sending_currency_code: 'USD' })
}

async function payAddress(
  vasp: TestVasp,
  token: string,
  receiver: string,
  codes: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = { receiver_address: receiver, sending_currency_amount: 300, ...codes }
  await vasp.post('/payments/lud16', token, body, headers).then(expectStatus(200))
}

async function payUmaInvoices(north: ServedVasp, south: ServedVasp): Promise<void> {
  const lamp = { username: 'alice', code: 'EUR', amount: 250n, expirySeconds: 3_600 }
  await payUmaInvoice(south, 'bob', 'SAT', (await createUmaInvoice(north.app, lamp)).encoded)
  await payUmaInvoice(north, 'alice', 'USD', (await createUmaInvoice(south.app, lamp)).encoded)
  await createUmaInvoice(north.app, { ...lamp, expirySeconds: 30 * DAY_SECONDS, maxPayments: 3 })
  await sendUmaRequest(north.app, { ...lamp, sender: `$bob@${south.domain}` })
  for (const amount of [100n, 200n, 300n])
    await sendUmaRequest(south.app, { ...lamp, amount, sender: `$alice@${north.domain}` })
  for (const { id, amount, encoded } of await listRequests(north.app.db, 'alice')) {
    if (amount === 100n) await declineRequest(north.app.db, 'alice', id)
    if (amount === 200n) await payUmaInvoice(north, 'alice', 'USD', encoded)
  }
}

async function payUmaInvoice({ app }: TestVasp, username: string, code: 'USD' | 'SAT', encoded: string): Promise<void> {
  const look = await previewUmaInvoice(app, username, encoded)
  if (look.kind === 'problem') throw new Error(look.message)
  const wallet = await walletOf(app.db, username, code)
  const { paymentHash } = await quoteUmaInvoice(app, { username, wallet, payable: look.payable })
  await awaitResult(app, (await executeQuote(app, { username, connectionId: null, paymentHash })).result, 'quote')
}

/**
 * A peer that refuses, does not answer and reports higher totals: operator decisions, and a payment without a result.
 */
async function payWest(north: ServedVasp, west: West): Promise<Unfinished['sendingPayment']> {
  const vasp = await instanceWithWest(north, west)
  const { db, simulatedNode, paymentWorker, audit } = vasp.app
  const token = await vasp.connectionToken('alice', ['pay_invoice'])
  west.sentMsats = 7_000n
  const decision = { by: 'operator', because: 'the west has shown its books' }
  const accepted = await operate(
    { db, log: vasp.app.log, accounts: [west.publicKeyHex], totals: simulatedNode?.totals },
    { do: 'accept', peer: west.publicKeyHex, sentMsats: '0', receivedMsats: '7000', ...decision },
  )
  if (!accepted.done) throw new Error(accepted.lines.join(' '))

  const paid = west.invoice(4_000_000n)
  west.answers.set(paid.paymentHash, { state: 'received', preimage: paid.preimage })
  await pay(vasp, token, paid.invoice)
  const refused = west.invoice(4_000_000n)
  west.answers.set(refused.paymentHash, { state: 'refused', failure: 'no-route' })
  await pay(vasp, token, refused.invoice, 400)

  const silent = async (amountMsats: bigint, by = token): Promise<WestInvoice> => {
    const drawn = west.invoice(amountMsats)
    await pay(vasp, by, drawn.invoice, 504)
    return drawn
  }
  const [lost, writtenOff] = [await silent(6_000_000n), await silent(8_000_000n)]
  for (const { paymentHash } of [lost, writtenOff]) {
    // As if LIGHTNING_PEERS did not name the west.
    const { outcome } = await writeOffPayment({ db }, [], { paymentHash, ...decision })
    if (outcome !== 'failed') throw new Error(`a payment was not written off: ${outcome}`)
  }
  west.answers.set(lost.paymentHash, { state: 'received', preimage: lost.preimage })
  await paymentWorker.trackWrittenOff()
  const losses = `select payment_id from journal_entries where kind = 'loss'`
  const rows = await db.query<{ payment_id: bigint }>({ name: 'fixture_losses', text: losses })
  await audit.acknowledge(rows.map(({ payment_id: paymentId }) => paymentId))

  const sent = await silent(9_000_000n, await vasp.connectionToken('bob', ['pay_invoice']))
  await paymentWorker.stop()
  await simulatedNode?.close()
  return { paymentHash: sent.paymentHash, preimage: sent.preimage, amountMsats: '9000000', payer: 'bob' }
}

/** Another process of the north, with the west as its one peer. */
function instanceWithWest(north: ServedVasp, west: West): Promise<TestVasp> {
  return makeTestVasp(north.app.db, environmentOf(north, west.peers), north.pair, (parts) =>
    makeSimulatedNode({ ...parts, post: west.post }),
  )
}

const environmentOf = (north: ServedVasp, peers: string): Record<string, string> => ({
  VASP_DOMAIN: north.domain,
  LIGHTNING_NODE_KEY: north.app.settings.lightningNodeKeyHex ?? '',
  LIGHTNING_PEERS: peers,
  PAYMENT_WAIT_SECONDS: '1',
})

/** A process with a node that has a network of its own: a payment without an invoice, and the position of its events. */
async function receiveForNobody(north: ServedVasp, west: West): Promise<void> {
  const node = makeScriptedNode(north.app.settings.lightningNodeKeyHex, west.secretHex)
  const vasp = await makeTestVasp(north.app.db, environmentOf(north, node.peers), north.pair, node)
  await node.tell({
    kind: 'received',
    paymentHash: randomHash(),
    amountMsats: 5_000n,
    account: undefined,
    cursor: '17',
  })
  await vasp.app.paymentWorker.stop()
}

const randomHash = (): string => randomBytes(32).toString('hex')

async function pay(vasp: TestVasp, token: string, invoice: string, status = 200): Promise<void> {
  await vasp.post('/payments/bolt11', token, { invoice }).then(expectStatus(status))
  // The worker gives up its claim on a payment without a result after the answer.
  if (status === 504) await sleep(200)
}

function expectStatus(status: number): (answer: Answer) => Answer {
  return (answer) => {
    if (answer.status === status) return answer
    throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
  }
}
