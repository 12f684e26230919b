import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { json, lookUpAnswer, payAnswer, startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { newNodeSecret } from '@/test/vasp/keys'
import { endLease, expectSound, impatient, tally } from '@/test/vasp/leaving'
import { expectNothingMoved, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'

const SATS = 50
const MSATS = 50_000n
const OPENING = 10n * MSATS
const USERNAME_RECORD = 696_969
const COPIES = 20
const PERMISSIONS = ['pay_invoice', 'pay_keysend', 'fetch_quote', 'execute_quote', 'pay_to_address', 'get_balance']

/** Sends one payment with this token. Every call sends the same payment again. */
type Send = (token: string, on?: TestVasp) => Promise<Answer>

interface Kind {
  readonly title: string
  /** Whether the receiver is a user of this VASP. */
  readonly own: boolean
  /** The answer to another user who sends the same. */
  readonly statusForAnother: 200 | 400 | 404
  /** Makes a payment of `MSATS` ready for the owner of the token. */
  prepare(token: string, payee: string): Promise<Send>
}

// What every kind of payment promises, wherever its receiver is. What one kind promises alone stands in the files beside this one.
describeOnBothEngines('Every payment', (db) => {
  let node: ScriptedNode
  let other: OtherVasp
  let vasp: TestVasp
  let payer: string
  let payee: string
  let token: string

  beforeAll(async () => {
    node = makeScriptedNode()
    other = await startOtherVasp()
    const receiver = `$bob@${other.domain}`
    other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver))
    other.answers.pay = (_request, response, body) => {
      const amountMsats = BigInt((JSON.parse(body) as { amount: string }).amount)
      const converted = { amount: Number(amountMsats / 1_000n), currencyCode: 'SAT', decimals: 0, multiplier: 1_000 }
      json(response, payAnswer(other, receiver, body, { converted, pr: node.invoice(amountMsats).invoice }))
    }
    const env = {
      LIGHTNING_PEERS: node.peers,
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
    }
    vasp = await makeTestVasp(db(), env, undefined, node)
    vasp.app.paymentWorker.keepRunning()
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.sent.length = 0
    payer = await newUser(vasp, { SAT: OPENING })
    payee = await newUser(vasp, { SAT: 0n })
    token = await vasp.connectionToken(payer, PERMISSIONS)
  })
  afterEach(() => expectSound(db()))
  afterAll(async () => {
    await vasp.app.paymentWorker.stop()
    other.stop()
  })

  const payInvoice = (invoice: string): Send => {
    return (by, on = vasp) => on.post('/payments/bolt11', by, { invoice })
  }
  const keysend = (to: string, records: unknown[] = []): Send => {
    const body = { amount: Number(MSATS), pubkey: to, preimage: newNodeSecret(), tlv_records: records }
    return (by, on = vasp) => on.post('/payments/keysend', by, body)
  }
  const executeQuote = async (by: string, receiver: string): Promise<Send> => {
    const query = new URLSearchParams({
      sending_currency_code: 'SAT',
      receiving_currency_code: 'SAT',
      locked_currency_amount: String(SATS),
      locked_currency_side: 'sending',
      receiver_address: receiver,
    })
    const { status, body } = await vasp.get(`/quote/lud16?${query}`, by)
    expect([status, body.total_sending_amount]).toEqual([200, SATS])
    return (sender, on = vasp) => on.post(`/quote/${String(body.payment_hash)}`, sender, {})
  }
  const payToAddress = (receiver: string): Send => {
    const body = {
      receiver_address: receiver,
      sending_currency_code: 'SAT',
      sending_currency_amount: SATS,
      receiving_currency_code: 'SAT',
    }
    const key = { 'Idempotency-Key': randomBytes(8).toString('hex') }
    return (by, on = vasp) => on.post('/payments/lud16', by, body, key)
  }
  const named = (user: string) => [{ type: USERNAME_RECORD, value: Buffer.from(user).toString('hex') }]
  const ownAddress = (user: string) => `$${user}@${vasp.app.settings.vaspDomain}`
  const foreignAddress = () => `$bob@${other.domain}`

  const own: Kind[] = [
    {
      title: 'of an invoice of this VASP',
      statusForAnother: 400,
      own: true,
      prepare: async (_by, to) => payInvoice((await invoiceOf(vasp, to, 'SAT', MSATS)).invoice),
    },
    {
      title: 'by keysend to a user of this VASP',
      statusForAnother: 400,
      own: true,
      prepare: async (_by, to) => keysend(node.identity.publicKeyHex, named(to)),
    },
    {
      title: 'of a quote for a user of this VASP',
      statusForAnother: 404,
      own: true,
      prepare: (by, to) => executeQuote(by, ownAddress(to)),
    },
    {
      title: 'to an address of this VASP',
      statusForAnother: 200,
      own: true,
      prepare: async (_by, to) => payToAddress(ownAddress(to)),
    },
  ]
  const foreign: Kind[] = [
    {
      title: 'of an invoice of another node',
      statusForAnother: 400,
      own: false,
      prepare: async () => payInvoice(node.invoice(MSATS).invoice),
    },
    {
      title: 'by keysend to another node',
      statusForAnother: 400,
      own: false,
      prepare: async () => keysend(node.remoteKey),
    },
    {
      title: 'of a quote for a user of another VASP',
      statusForAnother: 404,
      own: false,
      prepare: (by) => executeQuote(by, foreignAddress()),
    },
    {
      title: 'to an address of another VASP',
      statusForAnother: 200,
      own: false,
      prepare: async () => payToAddress(foreignAddress()),
    },
  ]

  const balances = async (user: string): Promise<[bigint, bigint]> => {
    const { available, held } = await walletOf(db(), user, 'SAT')
    return [available, held]
  }
  /** One payment has left the payer and reached its receiver once. */
  const expectPaidOnce = async (kind: Kind, sends = 1): Promise<void> => {
    expect(await balances(payer)).toEqual([OPENING - MSATS, 0n])
    expect(await balances(payee)).toEqual([kind.own ? MSATS : 0n, 0n])
    expect(node.sent).toHaveLength(kind.own ? 0 : sends)
  }
  const expectNothingPaid = async (): Promise<void> => {
    expect(await balances(payer)).toEqual([OPENING, 0n])
    expect(await balances(payee)).toEqual([0n, 0n])
  }
  const textsOf = (answers: readonly Answer[]) => new Set(answers.map(({ body }) => JSON.stringify(body)))

  describe.each([...own, ...foreign])('$title', (kind) => {
    const prepare = () => kind.prepare(token, payee)

    test('moves its amount once, and answers with the preimage of the payment', async () => {
      const { status, body } = await (await prepare())(token)
      expect([status, body.total_budget_currency_amount]).toEqual([200, SATS])
      const hash = createHash('sha256')
        .update(Buffer.from(String(body.preimage), 'hex'))
        .digest('hex')
      const rows = await db().query<{ state: string }>(
        { name: 'test_payment_of', text: `select state from payments where payment_hash = $1 and user_id = $2` },
        [hash, payer],
      )
      expect(rows).toEqual([{ state: 'succeeded' }])
      await expectPaidOnce(kind)
    })

    test('sent again is answered as before, and moves nothing', async () => {
      const send = await prepare()
      const first = await send(token)
      await expectNothingMoved(db(), async () => {
        for (const again of [await send(token), await send(token)])
          expect([again.status, again.body]).toEqual([200, first.body])
      })
      await expectPaidOnce(kind)
    })

    test(`sent ${COPIES} times at once is one payment with ${COPIES} equal answers`, async () => {
      const send = await prepare()
      const answers = await Promise.all(Array.from({ length: COPIES }, () => send(token)))
      expect([tally(answers), textsOf(answers).size]).toEqual([{ 200: COPIES }, 1])
      await expectPaidOnce(kind)
    })

    test('that the wallet does not cover is refused and moves nothing; once it is covered, it is paid', async () => {
      const send = await prepare()
      const [elsewhere, payBack] = [
        await invoiceOf(vasp, payee, 'SAT', OPENING - 1_000n),
        await invoiceOf(vasp, payer, 'SAT', OPENING - 1_000n),
      ]
      expect((await payInvoice(elsewhere.invoice)(token)).status).toBe(200)
      expect(await send(token)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
      expect(await balances(payer)).toEqual([1_000n, 0n])
      expect(node.sent).toEqual([])
      expect((await payInvoice(payBack.invoice)(await vasp.connectionToken(payee, PERMISSIONS))).status).toBe(200)
      expect((await send(token)).status).toBe(200)
      await expectPaidOnce(kind)
    })

    test('is its payer’s own: another user who sends it gets no preimage of it, and pays only what is a payment of their own', async () => {
      const send = await prepare()
      const { body } = await send(token)
      await expectPaidOnce(kind)
      const stranger = await newUser(vasp, { SAT: OPENING })
      const answer = await send(await vasp.connectionToken(stranger, PERMISSIONS))
      expect(answer.status).toBe(kind.statusForAnother)
      expect(JSON.stringify(answer.body)).not.toContain(String(body.preimage))
      expect(await balances(stranger)).toEqual([answer.status === 200 ? OPENING - MSATS : OPENING, 0n])
      expect(await balances(payer)).toEqual([OPENING - MSATS, 0n])
    })

    test('of a suspended user is refused and moves nothing', async () => {
      const send = await prepare()
      const text = `update users set status = 'suspended' where id = $1`
      await db().query({ name: 'test_suspend', text }, [payer])
      expect((await send(token)).status).toBe(401)
      await expectNothingPaid()
      expect(node.sent).toEqual([])
    })

    test('through a connection without its permission, or one that is revoked, is refused and moves nothing', async () => {
      const send = await prepare()
      expect((await send(await vasp.connectionToken(payer, ['get_balance']))).status).toBe(403)
      await db().query({ name: 'test_revoke', text: `update connections set revoked_at = now() where user_id = $1` }, [
        payer,
      ])
      expect((await send(token)).status).toBe(401)
      await expectNothingPaid()
      expect(node.sent).toEqual([])
    })
  })

  describe.each(foreign)('$title', (kind) => {
    const prepare = () => kind.prepare(token, payee)

    test('that the node refuses releases its hold, and moves its amount when it is sent again', async () => {
      const send = await prepare()
      node.script = 'fails'
      expect(await send(token)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      await expectNothingPaid()
      node.script = 'arrives'
      expect((await send(token)).status).toBe(200)
      await expectPaidOnce(kind, 2)
      expect(new Set(node.sent.map(({ sendId }) => sendId)).size).toBe(2)
    })

    test('whose outcome is unknown keeps its hold, is sent once, and settles when the node knows', async () => {
      const send = await prepare()
      node.script = 'in flight'
      expect((await send(token, impatient(vasp))).status).toBe(504)
      await expect.poll(() => node.sent.length).toBe(1)
      const paymentHash = node.sent[0]?.paymentHash ?? ''
      const [available, held] = await balances(payer)
      expect([available + held, held >= MSATS]).toEqual([OPENING, true])
      await node.end(paymentHash, 'succeeded')
      await endLease(db(), paymentHash)
      const answer = await send(token)
      expect([answer.status, answer.body.total_budget_currency_amount]).toEqual([200, SATS])
      await expectPaidOnce(kind)
    })
  })
})
