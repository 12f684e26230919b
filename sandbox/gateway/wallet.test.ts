import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import {
  FakeVasp,
  loginToken,
  makeTestGateway,
  NO_PARAMS,
  nwcClient,
  pair,
  USD,
  type NwcClient,
  type TestGateway,
} from '@/test/gateway/gateway'
import { newNodeSecret } from '@/test/vasp/keys'
import { parseBuffer } from './budget'
import type { Outcome } from './outcome'
import { answerAgain, type PaymentDeps } from './payments'
import { setParams } from './set-params'

const vasp = new FakeVasp()
let gateway: TestGateway
let client: NwcClient

function invoiceOf(
  amountMsats: bigint | undefined,
  description = 'Tea',
  paymentHash = createHash('sha256').update(randomBytes(32)).digest('hex'),
): string {
  return encodeInvoice({
    network: 'regtest',
    nodeSecretHex: newNodeSecret(),
    paymentHash,
    paymentSecretHex: randomBytes(32).toString('hex'),
    amountMsats,
    description,
    descriptionHash: undefined,
    createdAtSeconds: Math.floor(Date.now() / 1000),
    expirySeconds: 3_600,
  })
}

async function connect(terms: Parameters<typeof pair>[2] = {}): Promise<NwcClient> {
  client = await nwcClient(await pair(gateway, loginToken(vasp), terms))
  return client
}

const connection = () => {
  const [only] = gateway.store.connections()
  if (only === undefined) throw new Error('no connection was created')
  return only
}

beforeAll(() => vasp.start())
afterAll(() => vasp.close())
beforeEach(async () => {
  vasp.answers.clear()
  vasp.seen.length = 0
  gateway = await makeTestGateway(
    { apiBase: `${vasp.origin}/umanwc/v1`, publicPem: vasp.pair.publicPem },
    { buffer: '1.1' },
  )
})
afterEach(async () => {
  client?.close()
  await gateway.close()
})

describe('a command over NWC', () => {
  const WRONG_BALANCE = "The VASP's answer is not valid: balance is missing or has a wrong value. Tell its operator."

  it('becomes one call to the VASP with the long-lived token and the public gateway’s headers, and its answer is returned without unknown fields', async () => {
    vasp.answers.set('GET /balance', () => ({
      body: { balance: 124_050, currency: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }, secret: 1 },
    }))
    await connect()
    const reply = await client.call('get_balance')
    expect(reply).toEqual({
      result_type: 'get_balance',
      result: { balance: 124_050, currency: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 } },
    })
    expect(vasp.callsOf('/balance')).toHaveLength(1)
    expect(vasp.callsOf('/balance')[0]?.headers).toMatchObject({
      authorization: `Bearer ${connection().longToken}`,
      'content-type': 'application/json',
      'user-agent': 'NWC',
    })
  })

  it('works with both encryptions, and the answer uses the same one', async () => {
    vasp.answers.set('GET /balance', () => ({ body: { balance: 1 } }))
    await connect()
    for (const how of [
      { scheme: 'nip04' as const },
      { scheme: 'nip04' as const, tag: null },
      { scheme: 'nip44_v2' as const },
    ])
      expect(await client.call('get_balance', {}, how)).toMatchObject({ result: { balance: 1 } })
  })

  it('sends nulls for missing parameters, and the type as the public gateway prints it', async () => {
    await connect()
    await client.call('make_invoice', { amount: 1_000 })
    expect(vasp.callsOf('/invoice')[0]?.body).toEqual({
      amount: 1_000,
      description: null,
      description_hash: null,
      expiry: null,
    })
    await client.call('list_transactions', { type: 'incoming', limit: 5 })
    expect(Object.fromEntries(vasp.callsOf('/transactions')[0]?.query ?? [])).toEqual({
      type: 'TransactionType.INCOMING',
      limit: '5',
    })
    await client.call('lookup_user', { receiver: { lud16: '$bob@localhost:3000' } })
    expect(vasp.seen.at(-1)?.path).toBe('/receiver/lud16/$bob@localhost:3000')
  })

  it.each([
    [401, { code: 'UNAUTHORIZED', message: 'Unauthorized' }, 'UNAUTHORIZED', 'Unauthorized'],
    [401, 'Unauthorized', 'OTHER', 'Unauthorized'],
    [400, { code: 'INSUFFICIENT_BALANCE', message: 'Too little' }, 'INSUFFICIENT_BALANCE', 'Too little'],
    [400, { code: 'other', message: 'x' }, 'OTHER', '{"code":"other","message":"x"}'],
    [404, 'gone', 'NOT_FOUND', 'gone'],
    [429, 'slow down', 'RATE_LIMITED', 'slow down'],
    [500, '<html>', 'OTHER', '<html>'],
    [200, { balance: '100' }, 'OTHER', WRONG_BALANCE],
    [200, { balance: -1 }, 'OTHER', WRONG_BALANCE],
    [200, 'null', 'INTERNAL', 'The VASP answered, but not with JSON.'],
    [200, '', 'INTERNAL', 'The VASP answered, but not with JSON.'],
  ])('answered %s %j by the VASP reaches the app as %s', async (status, body, code, message) => {
    vasp.answers.set('GET /balance', () => ({ status, body }))
    await connect()
    expect((await client.call('get_balance')).error).toEqual({ code, message })
  })

  it('from a connection with 216 pending requests is RATE_LIMITED at once, the pending ones run, and another connection waits only for its turn', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    vasp.answers.set('GET /balance', async ({ query }) => {
      if (query.get('currency_code') === 'SLW') await held
      return { body: { balance: 1 } }
    })
    const loud = await connect()
    const quiet = await nwcClient(await pair(gateway, loginToken(vasp)))
    let refused = 0
    const replies = Array.from({ length: 220 }, async () => {
      const reply = await loud.call('get_balance', { currency_code: 'SLW' })
      if (reply.error?.code === 'RATE_LIMITED' && reply.result_type === 'get_balance') refused++
      return reply
    })
    await expect.poll(() => refused).toBe(4)
    expect(vasp.callsOf('/balance')).toHaveLength(16)
    // None of the pending requests is answered until then.
    expect(await quiet.call('get_balance')).toMatchObject({ result: { balance: 1 } })
    quiet.close()
    release()
    const codes = (await Promise.all(replies)).map(({ error }) => error?.code ?? 'answered')
    expect(codes.filter((code) => code === 'answered')).toHaveLength(216)
  })
})

describe('a member that is null, empty or zero is absent', () => {
  // Each in a list of its own, because `it.each` takes an empty list for no argument.
  const UNSET: [unknown][] = [[null], [''], [0], [[]], [{}]]
  const answerAll = (): void => {
    const transaction = { type: 'incoming', payment_hash: 'ab', amount: 1, created_at: 1 }
    vasp.answers.set('GET /balance', () => ({ body: { balance: 7 } }))
    vasp.answers.set('GET /transactions', () => ({ body: { transactions: [] } }))
    vasp.answers.set('POST /invoice', () => ({ body: transaction }))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: { preimage: 'ab' } }))
    vasp.answers.set('POST /payments/keysend', () => ({ body: { preimage: 'ab' } }))
    vasp.answers.set('GET /receiver/lud16/$bob@localhost:3000', () => ({ body: { currencies: [] } }))
    vasp.answers.set(`GET /invoices/${'ab'.repeat(32)}`, () => ({ body: transaction }))
  }

  it('without following objects deeper than any command has them', () => {
    let deep: unknown = 'the end'
    for (let level = 0; level < 30_000; level += 1) deep = { deep }
    expect(Object.keys(setParams({ deep, limit: 0 }) ?? {})).toEqual(['deep'])
  })

  it.each<[unknown]>([[NO_PARAMS], ...UNSET])('as params: %s', async (params) => {
    answerAll()
    await connect()
    for (const command of ['get_balance', 'get_info', 'list_transactions', 'get_budget'])
      expect(await client.call(command, params)).toMatchObject({ result_type: command, result: {} })
  })

  it.each(UNSET)('as %j in every member of list_transactions, which then sends no filter', async (unset) => {
    answerAll()
    await connect()
    const members = ['type', 'from', 'until', 'limit', 'offset', 'unpaid', 'something_new']
    const params = Object.fromEntries(members.map((name) => [name, unset]))
    expect((await client.call('list_transactions', params)).result).toEqual({ transactions: [] })
    expect([...(vasp.callsOf('/transactions')[0]?.query ?? [])]).toEqual([])
  })

  it.each(UNSET)('as %j in the optional members of the other commands', async (unset) => {
    answerAll()
    await connect()
    const hash = 'ab'.repeat(32)
    await client.call('get_balance', { currency_code: unset })
    expect([...(vasp.callsOf('/balance')[0]?.query ?? [])]).toEqual([])
    expect((await client.call('lookup_invoice', { payment_hash: hash, invoice: unset })).result).toBeDefined()
    const invoice = invoiceOf(1_000n, 'Tea', hash)
    expect((await client.call('lookup_invoice', { payment_hash: unset, invoice })).result).toBeDefined()
    await client.call('make_invoice', { amount: 1_000, description: unset, description_hash: hash, expiry: unset })
    await client.call('make_invoice', { amount: 1_000, description: 'Tea', description_hash: unset, expiry: 60 })
    expect(vasp.callsOf('/invoice').map(({ body }) => body)).toEqual([
      { amount: 1_000, description: null, description_hash: hash, expiry: null },
      { amount: 1_000, description: 'Tea', description_hash: null, expiry: 60 },
    ])
    expect((await client.call('pay_invoice', { invoice: invoiceOf(1_000n), amount: unset })).result).toBeDefined()
    const keysend = { amount: 1_000, pubkey: 'ab', preimage: unset, tlv_records: unset }
    expect((await client.call('pay_keysend', keysend)).result).toBeDefined()
    expect(vasp.callsOf('/payments/keysend')[0]?.body).toMatchObject({ preimage: null, tlv_records: null })
    const receiver = { lud16: '$bob@localhost:3000', bolt12: unset }
    expect((await client.call('lookup_user', { receiver, base_sending_currency_code: unset })).result).toBeDefined()
  })

  it('only one of description and description_hash reaches the VASP: the hash', async () => {
    answerAll()
    await connect()
    const description_hash = 'cd'.repeat(32)
    await client.call('make_invoice', { amount: 1_000, description: 'Tea', description_hash })
    expect(vasp.callsOf('/invoice')[0]?.body).toMatchObject({ description: null, description_hash })
  })

  it.each([
    ['agree', 'ab'.repeat(32), true],
    ['agree in another spelling', 'AB'.repeat(32), true],
    ['name two invoices', 'cd'.repeat(32), false],
  ])('payment_hash and invoice may both be set when they %s', async (_, payment_hash, isRead) => {
    answerAll()
    vasp.answers.set(`GET /invoices/${'AB'.repeat(32)}`, () => ({
      body: { type: 'incoming', payment_hash: 'ab', amount: 1, created_at: 1 },
    }))
    await connect()
    const { result, error } = await client.call('lookup_invoice', {
      payment_hash,
      invoice: invoiceOf(1_000n, 'Tea', 'ab'.repeat(32)),
    })
    expect(result !== undefined).toBe(isRead)
    if (!isRead) expect(error?.message).toContain('payment_hash is not the payment hash of invoice')
  })

  it.each([
    ['make_invoice', { amount: 0 }, 'amount is missing'],
    ['make_invoice', { amount: 1.5 }, 'amount must be a whole number above zero.'],
    ['list_transactions', { limit: -1 }, 'limit must be a whole number above zero.'],
    ['list_transactions', { type: 'both' }, 'type must be incoming or outgoing.'],
    ['pay_invoice', { invoice: '' }, 'invoice is missing'],
    ['lookup_invoice', { payment_hash: '', invoice: null }, 'payment_hash or invoice is required.'],
    ['lookup_user', { receiver: { lud16: '' } }, 'receiver is missing'],
    ['execute_quote', { payment_hash: '' }, 'payment_hash is missing'],
  ])('and %s %j names the member that is required or not valid: %s', async (command, params, words) => {
    await connect()
    const { error } = await client.call(command, params)
    expect(error?.code).toBe('OTHER')
    expect(error?.message).toContain(words)
  })

  it.each([
    ['encryption', ''],
    ['expiration', ''],
  ])('as the tag %s with the value %j', async (name, value) => {
    answerAll()
    await connect()
    const how = { scheme: 'nip04' as const, tag: null, tags: [[name, value]] }
    expect(await client.call('get_balance', {}, how)).toMatchObject({ result: { balance: 7 } })
  })
})

describe('get_info', () => {
  it.each([
    [[], ['lookup_user', 'get_info', 'get_budget']],
    [['read_balance'], ['lookup_user', 'get_info', 'get_budget', 'get_balance']],
  ])('lists the methods of this connection, whatever the VASP supports: groups %j', async (groups, methods) => {
    const body = { pubkey: 'x', network: 'regtest', methods: ['get_info', 'pay_invoice', 'make_invoice'] }
    vasp.answers.set('GET /info', () => ({
      body: { ...body, currencies: [{ currency: USD, multiplier: 1, min: 1, max: 9 }] },
    }))
    await connect({ groups })
    expect((await client.call('get_info')).result?.methods).toEqual(methods)
  })
})

describe('a request event that arrives again after a restart', () => {
  const paid = { body: { preimage: 'ab', total_budget_currency_amount: 80 } }
  beforeEach(
    () => void vasp.answers.set('GET /budget_estimate', () => ({ body: { estimated_budget_currency_amount: 80 } })),
  )
  const restart = async (): Promise<void> => {
    gateway = await gateway.restart()
    await expect.poll(() => gateway.service.relayConnected()).toBe(true)
  }

  it.each([
    ['pay_invoice', '/payments/bolt11', () => ({ invoice: invoiceOf(800_000n) })],
    ['pay_keysend', '/payments/keysend', () => ({ amount: 800_000, pubkey: 'ab' })],
  ])('returns the stored result of %s, and sends and books nothing', async (command, path, params) => {
    await connect({ budget: '50.00' })
    vasp.answers.set(`POST ${path}`, () => paid)
    const first = await client.call(command, params())
    expect(first.result).toMatchObject({ preimage: 'ab' })
    await restart()
    expect(await client.repeat()).toEqual(first)
    expect(vasp.callsOf(path)).toHaveLength(1)
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
  })

  it('returns the stored error of a failed payment', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('POST /payments/bolt11', () => ({ status: 400, body: { code: 'PAYMENT_FAILED', message: 'No' } }))
    const first = await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })
    vasp.answers.set('POST /payments/bolt11', () => paid)
    await restart()
    expect(await client.repeat()).toEqual(first)
    expect(vasp.callsOf('/payments/bolt11')).toHaveLength(1)
  })

  it('asks a VASP about an invoice whose outcome is not known, and books the payment once', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    expect((await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })).error?.code).toBe('INTERNAL')
    await restart()
    expect((await client.repeat()).error).toMatchObject({ code: 'INTERNAL' })
    expect(connection().cycles).toMatchObject([{ spent: 0, held: 88 }])
    vasp.answers.set('POST /payments/bolt11', () => paid)
    await restart()
    expect((await client.repeat()).result).toMatchObject({ preimage: 'ab' })
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
    expect(connection().payments).toHaveLength(1)
  })

  it.each([
    ['the member preimage', { preimage: 'cd'.repeat(32) }],
    ['the record 5482373484', { tlv_records: [{ type: 5_482_373_484, value: 'cd'.repeat(32) }] }],
    [
      'both, in capitals',
      { preimage: 'CD'.repeat(32), tlv_records: [{ type: 5_482_373_484, value: 'CD'.repeat(32) }] },
    ],
  ])('books a keysend once that is requested again with the same preimage in %s', async (_, where) => {
    await connect({ budget: '50.00' })
    vasp.answers.set('POST /payments/keysend', () => paid)
    const keysend = { amount: 800_000, pubkey: 'ab' }
    await client.call('pay_keysend', { ...keysend, preimage: 'cd'.repeat(32) })
    expect((await client.call('pay_keysend', { ...keysend, ...where })).result).toMatchObject({ preimage: 'ab' })
    expect(vasp.callsOf('/payments/keysend')).toHaveLength(2)
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
    await client.call('pay_keysend', { ...keysend, preimage: 'ef'.repeat(32) })
    expect(connection().cycles).toMatchObject([{ spent: 160, held: 0 }])
  })

  it.each([
    [
      504,
      'The payment is pending: its result is not known yet. Look it up before you try again.',
      'The payment is pending: its result is not known yet. Look it up before you try again.',
    ],
    [503, 'The node is busy', 'The node is busy. The result is not known yet. Look it up before you pay again.'],
    [500, 'Try later!', 'Try later! The result is not known yet. Look it up before you pay again.'],
  ])('says once, in whole sentences, that the result is not known: %i %s', async (status, message, words) => {
    await connect({ budget: '50.00' })
    vasp.answers.set('POST /payments/bolt11', () => ({ status, body: { code: 'INTERNAL', message } }))
    const { error } = await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })
    expect(error).toEqual({ code: 'INTERNAL', message: words })
  })

  it('never sends a keysend twice: while its outcome is not known, the app is told to look it up', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('POST /payments/keysend', () => ({ body: '', cut: true }))
    await client.call('pay_keysend', { amount: 800_000, pubkey: 'ab' })
    await restart()
    const { error } = await client.repeat()
    expect(error).toMatchObject({ code: 'INTERNAL' })
    expect(error?.message).toContain('Look it up')
    expect(vasp.callsOf('/payments/keysend')).toHaveLength(1)
  })
})

describe('an answer that is too large for a relay', () => {
  it('is replaced by an error, and delays no other connection', async () => {
    const transaction = {
      type: 'incoming',
      payment_hash: 'ab',
      amount: 1,
      created_at: 1,
      description: 'x'.repeat(600),
      invoice: 'y'.repeat(1_000),
    }
    vasp.answers.set('GET /transactions', () => ({
      body: { transactions: Array.from({ length: 60 }, () => transaction) },
    }))
    vasp.answers.set('GET /balance', () => ({ body: { balance: 7 } }))
    await connect()
    expect((await client.call('list_transactions')).error).toMatchObject({ code: 'OTHER' })
    expect(await client.call('get_balance')).toMatchObject({ result: { balance: 7 } })
  })

  it('is never caused by the largest page of a VASP', async () => {
    const transaction = { type: 'incoming', payment_hash: 'ab', amount: 1, created_at: 1, description: '' }
    const body = { transactions: [{ ...transaction, description: 'x'.repeat(36_000 - 120) }] }
    vasp.answers.set('GET /transactions', () => ({ body }))
    await connect()
    expect(await client.call('list_transactions')).toMatchObject({ result: body })
  })
})

describe('an invalid message receives a readable answer, and the next message is served', () => {
  it.each([
    ['no encryption for this wallet', async () => client.sendRaw('AgNotForYou'.padEnd(200, 'x')), 'OTHER'],
    ['NIP-04 that cannot be read', async () => client.sendRaw('AAAA?iv=AAAA', []), 'OTHER'],
    ['an unknown encryption', async () => client.call('get_info', {}, { tag: 'nip99' }), 'UNSUPPORTED_ENCRYPTION'],
    [
      'a list of encryptions',
      async () => client.call('get_info', {}, { tag: 'nip44_v2 nip04' }),
      'UNSUPPORTED_ENCRYPTION',
    ],
    [
      'an encryption that cannot be decrypted',
      async () => client.sendRaw('AAAA', [['encryption', 'aes-256']]),
      'UNSUPPORTED_ENCRYPTION',
    ],
    ['params that are a text', async () => client.call('get_info', 'all'), 'OTHER'],
    ['params that are a list', async () => client.call('get_info', [1]), 'OTHER'],
    ['no method', async () => client.call(''), 'OTHER'],
    ['an unknown command', async () => client.call('drain_wallet'), 'NOT_IMPLEMENTED'],
    ['an inherited property name as the command', async () => client.call('__proto__'), 'NOT_IMPLEMENTED'],
    ['an amount that is a string', async () => client.call('make_invoice', { amount: '1000' }), 'OTHER'],
    ['text that is not an invoice', async () => client.call('pay_invoice', { invoice: 'lnbc1' }), 'OTHER'],
    ['an offer as an invoice to look up', async () => client.call('lookup_invoice', { invoice: 'lno1x' }), 'OTHER'],
    ['no amount anywhere', async () => client.call('pay_invoice', { invoice: invoiceOf(undefined) }), 'OTHER'],
    ['two receivers', async () => client.call('lookup_user', { receiver: { lud16: 'a', bolt12: 'b' } }), 'OTHER'],
    [
      'a receiver of an unsupported kind',
      async () => client.call('lookup_user', { receiver: { bolt12: 'b' } }),
      'NOT_IMPLEMENTED',
    ],
    ['a quote that was never fetched', async () => client.call('execute_quote', { payment_hash: 'x' }), 'OTHER'],
  ])('%s', async (_what, send, code) => {
    await connect()
    const reply = await send()
    expect(reply.error).toMatchObject({ code })
    vasp.answers.set('GET /balance', () => ({ body: { balance: 7 } }))
    expect(await client.call('get_balance')).toMatchObject({ result: { balance: 7 } })
  })
})

describe('a request whose encryption is not the one that it announces', () => {
  it.each([
    [
      'nip44_v2' as const,
      null,
      'The request is encrypted with nip44_v2, but it has no encryption tag, which means nip04.',
    ],
    ['nip44_v2' as const, 'nip04', 'The request is encrypted with nip44_v2, but its encryption tag is nip04.'],
    ['nip04' as const, 'nip44_v2', 'The request is encrypted with nip04, but its encryption tag is nip44_v2.'],
  ])('%s with the tag %s is told what is wrong', async (scheme, tag, message) => {
    await connect()
    expect((await client.call('get_info', {}, { scheme, tag })).error).toEqual({ code: 'OTHER', message })
  })
})

describe('permissions and expiry', () => {
  it('a command that was not granted is RESTRICTED, and the VASP is not called', async () => {
    await connect({ groups: ['read_balance'] })
    vasp.seen.length = 0
    expect((await client.call('make_invoice', { amount: 1 })).error).toMatchObject({ code: 'RESTRICTED' })
    expect(vasp.seen).toEqual([])
  })

  it('a connection that has expired is UNAUTHORIZED, and the VASP is not called', async () => {
    await connect({ life: 'hour' })
    vasp.seen.length = 0
    gateway.aheadSeconds = 3_601
    expect((await client.call('get_balance')).error).toMatchObject({ code: 'UNAUTHORIZED' })
    expect(vasp.seen).toEqual([])
  })

  it('a key without a connection is UNAUTHORIZED', async () => {
    const other = await makeTestGateway({ apiBase: `${vasp.origin}/umanwc/v1`, publicPem: vasp.pair.publicPem })
    const uri = await pair(other, loginToken(vasp))
    await other.close()
    client = await nwcClient(
      uri.replace(/\/\/[0-9a-f]+\?relay=[^&]+/, `//${gateway.service.publicKey}?relay=${gateway.relay.url}`),
    )
    expect((await client.call('get_balance')).error).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('disconnecting at the gateway disables the key at once', async () => {
    await connect()
    const cookie = await gateway.signIn(loginToken(vasp))
    await gateway.post(`/connection/${connection().id}/disconnect`, {}, cookie)
    expect((await client.call('get_balance')).error).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('a command that the VASP lacks is requested by no connection, and is NOT_IMPLEMENTED', async () => {
    const small = await makeTestGateway(
      { apiBase: `${vasp.origin}/umanwc/v1`, publicPem: vasp.pair.publicPem },
      { supported: 'get_info,get_balance' },
    )
    client = await nwcClient(
      await pair(small, loginToken(vasp), { groups: ['read_balance', 'send_payments', 'nonsense'] }),
    )
    expect(vasp.callsOf('/token').at(-1)?.body?.permissions).toEqual(['get_info', 'get_balance'])
    expect((await client.call('pay_keysend', { amount: 1, pubkey: 'x' })).error).toMatchObject({
      code: 'NOT_IMPLEMENTED',
    })
    await small.close()
  })

  it('a pairing URI that is not fetched is forgotten after ten minutes', async () => {
    const cookie = await gateway.signIn(loginToken(vasp, { exp: Math.floor(Date.now() / 1000) + 3_600 }))
    const form = { name: 'Left alone', decision: 'connect', life: 'none', frequency: 'none' }
    const made = await gateway.post('/connection/new', form, cookie)
    gateway.aheadSeconds = 601
    const page = await gateway.app.request(made.headers.get('location') ?? '', { headers: { Cookie: cookie } })
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('secret=')
  })

  it('the management address from the discovery document, without a connection id, leads to the list of connections', async () => {
    await connect()
    const cookie = await gateway.signIn(loginToken(vasp))
    for (const id of ['%3Cconnection_id%3E', '<connection_id>']) {
      const answer = await gateway.app.request(`/connection/${id}`, { headers: { Cookie: cookie } })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/'])
    }
    const list = await gateway.app.request('/', { headers: { Cookie: cookie } })
    expect(await list.text()).toContain(`/connection/${connection().id}`)
  })

  it('the pairing URI is shown only once', async () => {
    await connect()
    const cookie = await gateway.signIn(loginToken(vasp))
    const again = await gateway.app.request(`/connection/${connection().id}`, { headers: { Cookie: cookie } })
    expect(await again.text()).not.toContain('secret=')
  })
})

describe('a budget', () => {
  const paid = (total: number | null) => ({ body: { preimage: 'ab', total_budget_currency_amount: total } })
  const estimate = (amount: number) => () => ({ body: { estimated_budget_currency_amount: amount } })

  it('holds ceil(estimate × buffer), then books the total of the payment: 103 estimated, 114 held, 101 spent', async () => {
    await connect({ budget: '50.00' })
    let heldMeanwhile = 0
    vasp.answers.set('GET /budget_estimate', estimate(103))
    vasp.answers.set('POST /payments/bolt11', () => {
      heldMeanwhile = connection().cycles[0]?.held ?? 0
      return paid(101)
    })
    expect(await client.call('pay_invoice', { invoice: invoiceOf(1_545_000n) })).toMatchObject({
      result: { preimage: 'ab' },
    })
    expect(heldMeanwhile).toBe(114)
    expect(connection().cycles).toMatchObject([{ spent: 101, held: 0 }])
    expect(Object.fromEntries(vasp.callsOf('/budget_estimate')[0]?.query ?? [])).toEqual({
      sending_currency_code: 'SAT',
      sending_currency_amount: '1545',
      budget_currency_code: 'USD',
    })
    expect(vasp.callsOf('/payments/bolt11')[0]?.body).toMatchObject({ amount: null, budget_currency_code: 'USD' })
  })

  it('refuses a payment that would exceed it, before any payment request to the VASP', async () => {
    await connect({ budget: '1.00' })
    vasp.answers.set('GET /budget_estimate', estimate(91))
    expect((await client.call('pay_invoice', { invoice: invoiceOf(1_000_000n) })).error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
    })
    expect(vasp.callsOf('/payments/bolt11')).toEqual([])
    expect(connection().payments).toEqual([])
  })

  it('is debited once for an invoice that this connection has paid before, and the app receives the preimage again', async () => {
    await connect({ budget: '1.00' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    vasp.answers.set('POST /payments/bolt11', () => paid(80))
    const invoice = invoiceOf(800_000n)
    expect((await client.call('pay_invoice', { invoice })).result).toMatchObject({ preimage: 'ab' })
    // The remaining budget would not allow a second payment.
    expect((await client.call('pay_invoice', { invoice })).result).toMatchObject({ preimage: 'ab' })
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
    expect(connection().payments).toMatchObject([
      { status: 'SUCCEEDED', settled: 80 },
      { status: 'SUCCEEDED', held: 0, settled: 0 },
    ])
    expect(vasp.callsOf('/payments/bolt11')).toHaveLength(2)
  })

  it('is debited once for one invoice requested five times at the same instant', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    vasp.answers.set('POST /payments/bolt11', () => paid(80))
    const invoice = invoiceOf(800_000n)
    await Promise.all(Array.from({ length: 5 }, () => client.call('pay_invoice', { invoice })))
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
  })

  it('is debited once after a lost answer, even if the app repeats the request before the outcome is known', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(100))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    const invoice = invoiceOf(1_000_000n)
    await client.call('pay_invoice', { invoice })
    vasp.answers.set('POST /payments/bolt11', () => paid(99))
    expect((await client.call('pay_invoice', { invoice })).result).toBeDefined()
    gateway = await gateway.restart()
    await expect.poll(() => connection().cycles).toMatchObject([{ spent: 99, held: 0 }])
    expect(connection().payments.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
  })

  it('is debited once, and its hold released once, when two repeated requests learn the outcome at the same instant', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })
    const [payment] = connection().payments
    if (payment === undefined) throw new Error('the payment was not stored')
    expect(connection().cycles).toMatchObject([{ spent: 0, held: 88 }])
    const answered = { requestBody: null, status: 200, body: JSON.stringify(paid(80).body), ms: 1 }
    const call: PaymentDeps['call'] = async (_, { method, path }) => ({ ...answered, method, url: path })
    const deps = { store: gateway.store, buffer: parseBuffer('1.1'), nowSeconds: () => payment.createdAtSeconds, call }
    const again = (): Promise<Outcome> => answerAgain(deps, connection(), payment)
    for (const outcome of await Promise.all([again(), again()])) expect(outcome).toHaveProperty('result.preimage', 'ab')
    expect(connection().cycles).toMatchObject([{ spent: 80, held: 0 }])
  })

  it('is debited for each connection that pays an invoice, and again after a failed attempt', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    const invoice = invoiceOf(800_000n)
    vasp.answers.set('POST /payments/bolt11', () => ({ status: 400, body: { code: 'PAYMENT_FAILED', message: 'No' } }))
    await client.call('pay_invoice', { invoice })
    vasp.answers.set('POST /payments/bolt11', () => paid(80))
    await client.call('pay_invoice', { invoice })
    const other = await nwcClient(await pair(gateway, loginToken(vasp), { budget: '50.00' }))
    await other.call('pay_invoice', { invoice })
    other.close()
    expect(gateway.store.connections().map(({ cycles }) => cycles)).toMatchObject([
      [{ spent: 80, held: 0 }],
      [{ spent: 80, held: 0 }],
    ])
  })

  it('can be changed by the user: the spent amount stays, and the next payment uses the new limit', async () => {
    await connect({ budget: '1.00', frequency: 'daily' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    vasp.answers.set('POST /payments/bolt11', () => paid(80))
    const pay = () => client.call('pay_invoice', { invoice: invoiceOf(800_000n) })
    await pay()
    expect((await pay()).error).toMatchObject({ code: 'QUOTA_EXCEEDED' })
    const cookie = await gateway.signIn(loginToken(vasp))
    const change = (amount: string) => gateway.post(`/connection/${connection().id}/budget`, { amount }, cookie)
    expect((await change('2.001')).status).toBe(400)
    expect(connection().limit).toMatchObject({ amount: 100 })
    expect((await change('2.00')).status).toBe(303)
    expect((await pay()).result).toBeDefined()
    expect(connection().limit).toMatchObject({ amount: 200, frequency: 'daily' })
    expect(connection().cycles).toMatchObject([{ spent: 160 }])
  })

  it('releases the hold when the payment fails', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(100))
    vasp.answers.set('POST /payments/bolt11', () => ({
      status: 400,
      body: { code: 'PAYMENT_FAILED', message: 'No route' },
    }))
    expect((await client.call('pay_invoice', { invoice: invoiceOf(1_000_000n) })).error).toEqual({
      code: 'PAYMENT_FAILED',
      message: 'No route',
    })
    expect(connection().cycles).toMatchObject([{ spent: 0, held: 0 }])
    expect(connection().payments).toMatchObject([{ status: 'FAILED' }])
  })

  it('allows concurrent payments only within their common limit', async () => {
    await connect({ budget: '1.00' })
    vasp.answers.set('GET /budget_estimate', estimate(60))
    vasp.answers.set('POST /payments/bolt11', () => paid(60))
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => client.call('pay_invoice', { invoice: invoiceOf(600_000n) })),
    )
    expect(replies.filter((reply) => reply.result !== undefined)).toHaveLength(1)
    expect(connection().cycles).toMatchObject([{ spent: 60, held: 0 }])
  })

  it('is available in full again in its next cycle', async () => {
    await connect({ budget: '1.00', frequency: 'daily' })
    vasp.answers.set('GET /budget_estimate', estimate(80))
    vasp.answers.set('POST /payments/bolt11', () => paid(80))
    expect((await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })).result).toBeDefined()
    expect((await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })).error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
    })
    gateway.aheadSeconds = 86_400
    expect((await client.call('pay_invoice', { invoice: invoiceOf(800_000n) })).result).toBeDefined()
    expect(connection().cycles).toHaveLength(2)
  })

  it('keeps the hold of a payment whose answer was lost, across a restart too, and repeats the request until it knows the outcome', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(100))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    expect((await client.call('pay_invoice', { invoice: invoiceOf(1_000_000n) })).error).toMatchObject({
      code: 'INTERNAL',
    })
    expect(connection().cycles).toMatchObject([{ spent: 0, held: 110 }])
    const asked = new Promise<void>((resolve) => {
      vasp.answers.set('POST /payments/bolt11', () => {
        setTimeout(resolve, 0)
        return paid(99)
      })
    })
    gateway = await gateway.restart()
    await asked
    await expect.poll(() => connection().cycles).toMatchObject([{ spent: 99, held: 0 }])
    expect(new Set(vasp.callsOf('/payments/bolt11').map(({ body }) => body?.invoice)).size).toBe(1)
  })

  it('keeps the hold while the repeated request is refused for a reason other than the payment', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(100))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    await client.call('pay_invoice', { invoice: invoiceOf(1_000_000n) })
    const asked = new Promise<void>((resolve) => {
      vasp.answers.set('POST /payments/bolt11', () => {
        setTimeout(resolve, 0)
        return { status: 429, body: { code: 'RATE_LIMITED', message: 'Later' } }
      })
    })
    gateway = await gateway.restart()
    await asked
    await expect.poll(() => connection().exchanges.at(-1)?.status).toBe(429)
    expect(connection().cycles).toMatchObject([{ spent: 0, held: 110 }])
  })

  it('sends no repeated request for a connection that was ended', async () => {
    await connect({ budget: '50.00' })
    vasp.answers.set('GET /budget_estimate', estimate(100))
    vasp.answers.set('POST /payments/bolt11', () => ({ body: '', cut: true }))
    await client.call('pay_invoice', { invoice: invoiceOf(1_000_000n) })
    const cookie = await gateway.signIn(loginToken(vasp))
    await gateway.post(`/connection/${connection().id}/disconnect`, {}, cookie)
    vasp.seen.length = 0
    gateway = await gateway.restart()
    const other = await nwcClient(await pair(gateway, loginToken(vasp)))
    await other.call('get_info')
    other.close()
    expect(vasp.callsOf('/payments/bolt11')).toEqual([])
  })

  it('is returned by get_budget in millisatoshis and in its own currency, holds included', async () => {
    await connect({ budget: '50.00', frequency: 'monthly' })
    vasp.answers.set('GET /budget_estimate', ({ query }) => ({
      body: { estimated_budget_currency_amount: query.get('budget_currency_code') === 'SAT' ? 50_000 : 1_000 },
    }))
    vasp.answers.set('POST /payments/bolt11', () => paid(1_000))
    await client.call('pay_invoice', { invoice: invoiceOf(10_000_000n) })
    expect((await client.call('get_budget')).result).toMatchObject({
      used_budget: 10_000_000,
      total_budget: 50_000_000,
      renewal_period: 'monthly',
      currency: { code: 'USD', used_budget: 1_000, total_budget: 5_000 },
    })
  })

  it('is empty in get_budget when none is set, and a payment then requests no estimate', async () => {
    await connect()
    vasp.answers.set('POST /payments/bolt11', () => paid(5))
    expect((await client.call('get_budget')).result).toEqual({})
    expect((await client.call('pay_invoice', { invoice: invoiceOf(1_000n) })).result).toBeDefined()
    expect(vasp.callsOf('/budget_estimate')).toEqual([])
  })
})
