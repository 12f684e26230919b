import { randomUUID } from 'node:crypto'
import { addressOf } from 'uma-auth-vasp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findInvoice } from '@/lib/invoices/queries'
import { convert } from '@/lib/money/convert'
import { isCurrencyCode, rateOf } from '@/lib/money/currencies'
import { fromLedgerUnits, msatsInLedgerUnits } from '@/lib/money/ledger-units'
import type { Database } from '@/lib/platform/db/database'
import { isVaspError } from '@/lib/platform/errors'
import { fetchError } from '@/lib/platform/net/fetch-error'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound, newPayer, untilIs } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { parseAddress } from './address'
import { lookUp } from './client/look-up'
import type { InvoiceOffer, InvoiceRequest, Receiver } from './client/types'
import { createUmaInvoice, withdrawUmaInvoice } from './invoices/create'
import { readUmaInvoice } from './invoices/pay'
import { declineRequest, listRequests } from './invoices/requests'
import { sendUmaRequest } from './invoices/send-request'

describeOnTwoDatabases('Two VASPs', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let bob: string

  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ north, south } = both)
    alice = await newUser(north, { USD: 0n, SAT: 10_000_000_000n })
    bob = await newUser(south, { EUR: 0n, JPY: 0n, KWD: 0n, USD: 0n, SAT: 0n })
  })
  afterAll(() => both.stop())

  const find = (address: string, from: ServedVasp = north): Promise<Receiver> =>
    lookUp(from.app, alice, parseAddress(address))
  const requestInvoice = (
    receiver: Receiver,
    code: string,
    lock: InvoiceRequest['lock'],
    more: Partial<InvoiceRequest> = {},
  ): Promise<InvoiceOffer> => {
    const currency = receiver.currencies.find((each) => each.code === code)
    if (currency === undefined) throw new Error(`no ${code}`)
    return receiver.requestInvoice({
      username: alice,
      currency,
      lock,
      expirySeconds: 600,
      callbackId: randomUUID(),
      ...more,
    })
  }
  const stored = async (paymentHash: string): Promise<Record<string, unknown>> => {
    const text = `select r.*, i.fixed_credit, i.description from uma_pay_requests r join invoices i on i.id = r.invoice_id where i.payment_hash = $1`
    const [row] = await southDb().query({ name: 'test_stored', text }, [paymentHash])
    return row ?? {}
  }

  describe('look up each other’s users', () => {
    test('with signatures on both sides, and read every currency with its limits and price', async () => {
      const { protocol, currencies, minMsats, maxMsats, commentLength } = await find(`$${bob}@${south.domain}`)
      expect([protocol, minMsats, maxMsats, commentLength]).toEqual(['uma-1', 1_000n, 10_000_000_000n, 150])
      expect(currencies.map(({ code, decimals, max }) => [code, decimals, max])).toEqual([
        ['EUR', 2, convert(10_000_000n, 'SAT', 'EUR', 'down', rateOf)],
        ['JPY', 0, convert(10_000_000n, 'SAT', 'JPY', 'down', rateOf)],
        ['KWD', 3, convert(10_000_000n, 'SAT', 'KWD', 'down', rateOf)],
        ['USD', 2, 1_000_000n],
        ['SAT', 0, 10_000_000n],
      ])
    })
  })

  describe('agree on a price', () => {
    test.each(['EUR', 'JPY', 'KWD', 'USD', 'SAT'])('with %s locked on the receiving side', async (code) => {
      const receiver = await find(`$${bob}@${south.domain}`)
      for (const units of [1n, 777n, 100_000n]) {
        const offer = await requestInvoice(receiver, code, { side: 'receiving', units })
        expect([offer.receivingUnits, offer.feeMsats, offer.invoice.amountMsats]).toEqual([
          units,
          0n,
          offer.amountMsats,
        ])
        const credit = code === 'SAT' ? units * 1_000n : units
        expect(await stored(offer.invoice.paymentHash)).toMatchObject({ fixed_credit: credit, protocol: 'uma-1' })
      }
    })

    test.each(['EUR', 'JPY', 'KWD', 'USD', 'SAT'])('with millisatoshis locked, for a receiver of %s', async (code) => {
      const receiver = await find(`$${bob}@${south.domain}`)
      const offer = await requestInvoice(receiver, code, { side: 'sending', msats: 123_456_789n })
      if (!isCurrencyCode(code)) throw new Error(code)
      expect([offer.amountMsats, offer.invoice.amountMsats]).toEqual([123_456_789n, 123_456_789n])
      expect(offer.receivingUnits).toBe(
        fromLedgerUnits(msatsInLedgerUnits(123_456_789n, code, 'down', rateOf), code, 'down'),
      )
    })

    test('and exchange the required data: the payer, the travel rule data, the comment', async () => {
      const receiver = await find(`$${bob}@${south.domain}`)
      const offer = await requestInvoice(receiver, 'EUR', { side: 'receiving', units: 5n }, { comment: 'für Kaffee' })
      const address = `$${bob}@${south.domain}`
      expect(offer.remoteCallback).toMatch(new RegExp(`^${south.origin}/uma/callback/[\\w-]{43}$`))
      const row = await stored(offer.invoice.paymentHash)
      const payer = addressOf(alice, north.domain)
      expect(row).toMatchObject({
        payer_address: payer,
        comment: 'für Kaffee',
        description: 'für Kaffee',
      })
      expect(row.remote_callback_url).toMatch(new RegExp(`^${north.origin}/uma/callback/`))
      const told = south.recorded.find(({ paymentHash }) => paymentHash === offer.invoice.paymentHash)
      expect(JSON.parse(told?.detail?.travelRule?.text ?? '')).toEqual({
        originator: { identifier: payer, name: 'Somebody' },
        beneficiary: { identifier: address },
      })
    })

    test('over plain LNURL', async () => {
      const receiver = await find(`${bob}@${south.domain}`)
      const offer = await requestInvoice(receiver, 'SAT', { side: 'receiving', units: 25n }, { comment: 'hello' })
      expect([offer.amountMsats, offer.receivingUnits, offer.remoteCallback]).toEqual([25_000n, 25n, null])
      expect(await stored(offer.invoice.paymentHash)).toMatchObject({ protocol: 'lnurl', comment: 'hello' })
      expect((await requestInvoice(receiver, 'SAT', { side: 'sending', msats: 1_234n })).amountMsats).toBe(1_234n)
    })
  })

  test('pay each other the agreed amount, and then report the settlement once in each direction', async () => {
    const payer = await newPayer(north, { SAT: 5_000_000n })
    const receiver = await find(`$${bob}@${south.domain}`)
    const callbackId = randomUUID()
    const offer = await requestInvoice(
      receiver,
      'EUR',
      { side: 'receiving', units: 123n },
      { username: payer.username, callbackId },
    )
    const before = (await walletOf(southDb(), bob, 'EUR')).available
    const { invoice, paymentHash } = offer.invoice
    await saveQuote(payer.username, { callbackId, paymentHash, invoice, remoteCallback: offer.remoteCallback })
    expect((await payer.pay(invoice)).status).toBe(200)
    await untilIs(northDb(), paymentHash, 'succeeded')
    expect((await walletOf(southDb(), bob, 'EUR')).available - before).toBe(123n)
    for (const vasp of [north, south]) {
      const text = `select amount_msats, tries from uma_callbacks where payment_hash = $1`
      const due = (): Promise<unknown[]> => vasp.app.db.query({ name: 'test_due', text }, [paymentHash])
      expect(await due()).toEqual([{ amount_msats: offer.amountMsats, tries: 0 }])
      for (let times = 0; times < 2; times += 1) await vasp.app.uma?.callbacks.round()
      expect(await due()).toEqual([])
      await expectSound(vasp.app.db)
    }
    for (const [{ recorded }, userId] of [
      [north, payer.username],
      [south, bob],
    ] as const)
      expect(recorded.filter(({ name }) => name === 'UMA callback received')).toMatchObject([{ userId, paymentHash }])
  })

  /** Saves a quote as the quotes service does. */
  async function saveQuote(
    username: string,
    quote: { callbackId: string; paymentHash: string; invoice: string; remoteCallback: string | null },
  ): Promise<void> {
    const text = `insert into quotes (payment_hash, invoice, user_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount,
                    debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats, fee_limit_msats, rate_snapshot_id,
                    callback_id, remote_callback_url, expires_at)
                  select $1, $2, $3, w.id, $4, 'uma-1', 'receiving', 1, 1, 0, 0, '{}', 1, 1, 1, 0, $5, $6, $7, now()
                  from wallets w where w.user_id = $3 limit 1`
    const { paymentHash, invoice, callbackId, remoteCallback } = quote
    const address = `$${bob}@${south.domain}`
    const params = [
      paymentHash,
      invoice,
      username,
      address,
      north.app.rates.current().snapshotId,
      callbackId,
      remoteCallback,
    ]
    await northDb().query({ name: 'test_quote', text }, params)
  }

  test('send all due callbacks in one round, however many there are', async () => {
    const [count, url] = [23, `${north.origin}/uma/callback/${'x'.repeat(43)}`]
    const text = `insert into uma_callbacks (payment_hash, user_id, url, amount_msats)
                  select 'due ' || place, 'nobody', $1, 1 from generate_series(1, $2::int) as place`
    await southDb().query({ name: 'test_many_due', text }, [url, count])
    await south.app.uma?.callbacks.round()
    const tried = `select count(*)::int as tried from uma_callbacks where url = $1 and tries = 1`
    expect(await southDb().query({ name: 'test_tried', text: tried }, [url])).toEqual([{ tried: count }])
  })

  test('settle a payment whose callback cannot be stored', async () => {
    const payer = await newPayer(north, { SAT: 5_000_000n })
    const receiver = await find(`$${bob}@${south.domain}`)
    const offer = await requestInvoice(receiver, 'SAT', { side: 'receiving', units: 9n }, { username: payer.username })
    const alter = (what: string): Promise<unknown> =>
      southDb().query({ name: `test_alter_${what.slice(0, 3)}`, text: `alter table uma_callbacks ${what}` })
    await alter('add constraint none_fits check (false) not valid')
    try {
      const before = (await walletOf(southDb(), bob, 'SAT')).available
      expect((await payer.pay(offer.invoice.invoice)).status).toBe(200)
      expect((await walletOf(southDb(), bob, 'SAT')).available - before).toBe(9_000n)
      await expectSound(southDb())
    } finally {
      await alter('drop constraint none_fits')
    }
  })

  test('repeat a callback until it is accepted, and give up after the fifth try', async () => {
    const receiver = await find(`$${bob}@${south.domain}`)
    const payer = await newPayer(north, { SAT: 5_000_000n })
    const offer = await requestInvoice(receiver, 'SAT', { side: 'receiving', units: 7n }, { username: payer.username })
    expect((await payer.pay(offer.invoice.invoice)).status).toBe(200)
    // North has no such payment, because no quote was saved, so it answers 404.
    const { paymentHash } = offer.invoice
    const row = async (): Promise<Record<string, unknown>> => {
      const text = `select tries, round(extract(epoch from next_try_at - now()))::int as wait
                    from uma_callbacks where payment_hash = $1`
      return (await southDb().query({ name: 'test_queue', text }, [paymentHash]))[0] ?? {}
    }
    const isGivenUp = async (): Promise<unknown> => (await findInvoice(southDb(), bob, paymentHash))?.isCallbackGivenUp
    await south.app.uma?.callbacks.round()
    expect(await row()).toMatchObject({ tries: 1, wait: 20 })
    expect(south.logged.join('')).toContain('answered with 404')
    await south.app.uma?.callbacks.round()
    expect(await row()).toMatchObject({ tries: 1 })
    const hurry = async (): Promise<void> => {
      const text = `update uma_callbacks set next_try_at = now() where payment_hash = $1 and next_try_at is not null`
      await southDb().query({ name: 'test_hurry', text }, [paymentHash])
      await south.app.uma?.callbacks.round()
    }
    const waits = [20]
    for (let times = 2; times < 5; times += 1) {
      await hurry()
      waits.push(Number((await row()).wait))
    }
    expect(waits).toEqual([20, 100, 500, 2_500])
    expect(await isGivenUp()).toBe(false)
    await hurry()
    expect(await row()).toEqual({ tries: 5, wait: null })
    expect(await isGivenUp()).toBe(true)
    await hurry()
    expect(await row()).toEqual({ tries: 5, wait: null })
  })

  describe('send UMA invoices', () => {
    test('that are paid with exactly their amount, once', async () => {
      const made = await createUmaInvoice(south.app, {
        username: bob,
        code: 'EUR',
        amount: 250n,
        expirySeconds: 3_600,
      })
      const payer = await newPayer(north, { SAT: 5_000_000n })
      const payable = await readUmaInvoice(north.app, `uma://${made.encoded}`)
      expect(payable).toMatchObject({
        protocol: 'uma-1',
        receiver: { text: `$${bob}@${south.domain}` },
        invoice: { amount: 250n, uuid: made.uuid, currency: { code: 'EUR', decimals: 2 } },
      })
      const request = { username: payer.username, expirySeconds: 600, callbackId: randomUUID() }
      const offer = await payable.requestInvoice(request)
      expect(offer.receivingUnits).toBe(250n)
      expect((await stored(offer.invoice.paymentHash)).uma_invoice_id).not.toBeNull()
      // Not paid yet, so a new request by the same payer replaces the first one. Another payer has to wait.
      const again = await payable.requestInvoice(request)
      expect(again.receivingUnits).toBe(250n)
      await expect(payable.requestInvoice({ ...request, username: alice })).rejects.toMatchObject({ status: 400 })
      const before = (await walletOf(southDb(), bob, 'EUR')).available
      expect(await payer.pay(offer.invoice.invoice)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      expect((await payer.pay(again.invoice.invoice)).status).toBe(200)
      expect((await walletOf(southDb(), bob, 'EUR')).available - before).toBe(250n)
      await expect(payable.requestInvoice(request)).rejects.toMatchObject({ status: 400 })
    })

    test('to users of the same VASP too, without a request to another VASP', async () => {
      const made = await createUmaInvoice(south.app, { username: bob, code: 'JPY', amount: 10n, expirySeconds: 60 })
      const payable = await readUmaInvoice(south.app, made.encoded)
      expect(payable.protocol).toBe('own')
      const other = await newUser(south, { SAT: 0n })
      const offer = await payable.requestInvoice({ username: other, expirySeconds: 600, callbackId: 'x' })
      expect([offer.receivingUnits, offer.invoice.payee]).toEqual([10n, south.app.node.identity.publicKeyHex])
      expect(offer.invoice.expiresAtSeconds - offer.invoice.createdAtSeconds).toBeLessThanOrEqual(60)
    })

    test('that only the named sender can pay', async () => {
      const sender = addressOf(alice, north.domain)
      const made = await createUmaInvoice(south.app, {
        username: bob,
        code: 'EUR',
        amount: 5n,
        expirySeconds: 60,
        sender,
      })
      const payable = await readUmaInvoice(north.app, made.encoded)
      const request = { expirySeconds: 60, callbackId: 'x' }
      const other = await newUser(north, { SAT: 0n })
      await expect(payable.requestInvoice({ ...request, username: other })).rejects.toMatchObject({ status: 400 })
      expect((await payable.requestInvoice({ ...request, username: alice })).receivingUnits).toBe(5n)
    })

    test('and refuse a UMA invoice that has expired or is invalid', async () => {
      const made = await createUmaInvoice(south.app, { username: bob, code: 'EUR', amount: 5n, expirySeconds: 60 })
      const later = { ...north.app, clock: { now: () => new Date(Date.now() + 61_000) } }
      await expect(readUmaInvoice(later, made.encoded)).rejects.toMatchObject({
        message: 'The UMA invoice has expired.',
      })
      await expect(readUmaInvoice(north.app, 'uma1hello')).rejects.toMatchObject({ status: 400 })
      // Signed by north in south's name.
      const forger = {
        ...north.app,
        settings: { ...north.app.settings, vaspDomain: south.domain, publicOrigin: south.origin },
      }
      const forged = await createUmaInvoice(forger, { username: alice, code: 'USD', amount: 5n, expirySeconds: 60 })
      await expect(readUmaInvoice(north.app, forged.encoded)).rejects.toMatchObject({ status: 400 })
    })

    test('and refuse to create a UMA invoice with invalid terms', async () => {
      const fine = { username: bob, code: 'EUR', amount: 5n, expirySeconds: 60 }
      for (const wrong of [
        { code: 'GBP' },
        { amount: 0n },
        { amount: 10n ** 12n },
        { expirySeconds: 59 },
        { expirySeconds: 31 * 86_400 },
        { maxPayments: 0 },
        { maxPayments: 1_001 },
        { sender: 'alice@north.example' },
        // Longer than a field of the invoice: its length would not fit in one byte.
        { sender: `$alice@${`${'n'.repeat(60)}.`.repeat(4)}example` },
      ])
        await expect(createUmaInvoice(south.app, { ...fine, ...wrong })).rejects.toMatchObject({ status: 400 })
    })
  })

  describe('ask for payment', () => {
    test('once, in the inbox of the payer, where only that user can decline', async () => {
      const sender = addressOf(alice, north.domain)
      const made = await sendUmaRequest(south.app, {
        username: bob,
        code: 'EUR',
        amount: 42n,
        expirySeconds: 600,
        sender,
      })
      const [request] = await listRequests(north.app.db, alice)
      expect(request).toMatchObject({
        receiverAddress: `$${bob}@${south.domain}`,
        uuid: made.uuid,
        amount: 42n,
        currency: { code: 'EUR', decimals: 2 },
        state: 'open',
      })
      if (request === undefined) throw new Error('no request')
      const again = await fetch(`${north.origin}/uma/request`, {
        method: 'POST',
        body: JSON.stringify({ invoice: made.encoded }),
      })
      expect(again.status).toBe(200)
      expect(await listRequests(north.app.db, alice)).toHaveLength(1)
      const other = await newUser(north, { SAT: 0n })
      await expect(declineRequest(north.app.db, other, request.id)).rejects.toMatchObject({ status: 404 })
      await declineRequest(north.app.db, alice, request.id)
      expect((await listRequests(north.app.db, alice))[0]).toMatchObject({ state: 'declined', paymentHash: null })
    })

    describe('with one submission of a form', () => {
      const asking = () => ({
        username: bob,
        code: 'EUR',
        amount: 7n,
        expirySeconds: 600,
        sender: addressOf(alice, north.domain),
        requestId: randomUUID(),
      })
      const invoicesOf = async (username: string): Promise<number> => {
        const text = 'select count(*)::int as made from uma_invoices where user_id = $1'
        const [row] = await southDb().query<{ made: number }>({ name: 'test_uma_invoices_of', text }, [username])
        return row?.made ?? 0
      }
      const requestOf = async (uuid: string) =>
        (await listRequests(north.app.db, alice)).filter((one) => one.uuid === uuid)

      test('once, however often the form is sent, concurrently or later', async () => {
        const [wanted, before] = [asking(), await invoicesOf(bob)]
        const made = await Promise.all([1, 2, 3].map(() => sendUmaRequest(south.app, wanted)))
        made.push(await sendUmaRequest(south.app, wanted))
        expect(new Set(made.map(({ encoded }) => encoded)).size).toBe(1)
        expect(await invoicesOf(bob)).toBe(before + 1)
        expect(await requestOf(made[0]?.uuid ?? '')).toHaveLength(1)
      })

      test('even when a concurrent request is refused and withdraws the invoice that this request found', async () => {
        const [wanted, before] = [asking(), await invoicesOf(bob)]
        const first = await createUmaInvoice(south.app, wanted)
        const { db } = south.app
        const query: Database['query'] = async (statement, params) => {
          const rows = await db.query(statement, params)
          const meets = statement.name === 'insert_uma_invoice' && rows.length === 0
          if (meets) await withdrawUmaInvoice(db, bob, first.uuid)
          return rows
        }
        const second = await sendUmaRequest({ ...south.app, db: { ...db, query } }, wanted)
        expect(second).toMatchObject({ uuid: first.uuid, isNew: true })
        expect(await invoicesOf(bob)).toBe(before + 1)
        expect(await requestOf(second.uuid)).toHaveLength(1)
      })

      test('for other terms or by another user, as another request', async () => {
        const { sender, ...wanted } = asking()
        const carol = await newUser(south, { EUR: 0n })
        const different = [wanted, { ...wanted, amount: 8n }, { ...wanted, sender }, { ...wanted, username: carol }]
        const made = await Promise.all(different.map((each) => createUmaInvoice(south.app, each)))
        expect(new Set(made.map(({ uuid }) => uuid)).size).toBe(different.length)
      })

      test('again when the answer was lost, as the same request', async () => {
        const [wanted, before, uma] = [asking(), await invoicesOf(bob), south.app.uma]
        if (uma === undefined) throw new Error('no UMA')
        const fetch: typeof uma.fetch = async (url, request) => {
          const answered = await uma.fetch(url, request)
          if (request?.method === 'POST') throw fetchError('late', 'lost')
          return answered
        }
        await expect(sendUmaRequest({ ...south.app, uma: { ...uma, fetch } }, wanted)).rejects.toMatchObject({
          options: { theirs: 'timeout' },
        })
        const { uuid, isNew } = await sendUmaRequest(south.app, wanted)
        expect(isNew).toBe(false)
        expect(await invoicesOf(bob)).toBe(before + 1)
        expect(await requestOf(uuid)).toHaveLength(1)
      })

      test.each([
        [400, 'refused'],
        [404, undefined],
        [429, undefined],
        [500, 'timeout'],
      ])('and receive %i: the invoice stays only if the request may have been stored', async (status, theirs) => {
        const [wanted, before, uma] = [asking(), await invoicesOf(bob), south.app.uma]
        if (uma === undefined) throw new Error('no UMA')
        const fetch: typeof uma.fetch = async (url, request) =>
          request?.method === 'POST' ? { status, text: '{}' } : uma.fetch(url, request)
        const refusal = sendUmaRequest({ ...south.app, uma: { ...uma, fetch } }, wanted)
        const error = await refusal.then(
          () => undefined,
          (reason: unknown) => (isVaspError(reason) ? reason : undefined),
        )
        expect(error).toMatchObject({ status: [404, 429].includes(status) ? status : 400 })
        expect(error?.options.theirs).toBe(theirs)
        if (status === 429) expect(Number(error?.options.headers?.['Retry-After'])).toBeGreaterThan(0)
        expect(await invoicesOf(bob)).toBe(before + (theirs === 'timeout' ? 1 : 0))
      })
    })

    test('also from users of the same VASP, and answer 404 for a missing user', async () => {
      const other = await newUser(south, { SAT: 0n })
      const request = { username: bob, code: 'EUR', amount: 1n, expirySeconds: 600 }
      await sendUmaRequest(south.app, { ...request, sender: addressOf(other, south.domain) })
      const [kept] = await listRequests(south.app.db, other)
      if (kept === undefined) throw new Error('no request')
      await declineRequest(south.app.db, other, kept.id)
      expect((await listRequests(south.app.db, other))[0]?.state).toBe('declined')
      for (const domain of [south.domain, north.domain])
        await expect(sendUmaRequest(south.app, { ...request, sender: `$nobody@${domain}` })).rejects.toMatchObject({
          status: 404,
        })
    })

    test('at most fifty times a day, however quickly each request ends, and keep the open requests visible', async () => {
      const user = await newUser(south, { SAT: 0n })
      const request = { username: bob, code: 'EUR', amount: 1n, expirySeconds: 600 }
      const sender = addressOf(user, south.domain)
      await sendUmaRequest(south.app, { ...request, sender })
      const [first] = await listRequests(south.app.db, user)
      const text = `insert into uma_requests (user_id, receiver_address, uuid, encoded, amount, currency, expires_at)
                    select $1, $2, gen_random_uuid(), 'x', 1, '{}', now() - interval '1 second' from generate_series(1, 49)`
      await southDb().query({ name: 'test_ended_requests', text }, [user, addressOf(bob, south.domain)])
      await expect(sendUmaRequest(south.app, { ...request, sender })).rejects.toMatchObject({
        name: 'VaspError',
        status: 429,
        code: 'RATE_LIMITED',
      })
      await southDb().query({ name: 'test_one_more_ended_request', text }, [user, '$shop@elsewhere.example'])
      expect((await listRequests(south.app.db, user))[0]).toEqual(first)
    })

    test('and refuse a request that names no payer, has an invalid invoice, or is malformed', async () => {
      const made = await createUmaInvoice(south.app, { username: bob, code: 'EUR', amount: 5n, expirySeconds: 60 })
      const bring = async (body: unknown): Promise<unknown> => {
        const answer = await fetch(`${north.origin}/uma/request`, { method: 'POST', body: JSON.stringify(body) })
        return [answer.status, ((await answer.json()) as { code: string }).code]
      }
      expect(await bring({ invoice: made.encoded })).toEqual([400, 'INVALID_INPUT'])
      expect(await bring({ invoice: 'uma1x' })).toEqual([400, 'INVALID_INVOICE'])
      expect(await bring({})).toEqual([400, 'INVALID_REQUEST_FORMAT'])
    })
  })
})
