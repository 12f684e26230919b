import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { exchange } from '@/lib/wallets/service'
import { describeOnPostgres, openMigrated } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound } from '@/test/vasp/leaving'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import {
  entriesOffTheirRates,
  moveRatesAtEachRead,
  quotesOffTheirInvoices,
  quotesOffTheirRates,
} from '@/test/vasp/moving-rates'
import type { Answer } from '@/test/vasp/vasp'

const COMMANDS = ['fetch_quote', 'execute_quote', 'pay_to_address', 'pay_invoice', 'pay_keysend', 'get_info']
const PAIRS = [
  ['USD', 'EUR'],
  ['EUR', 'JPY'],
  ['JPY', 'USD'],
  ['KWD', 'EUR'],
] as const
type Code = (typeof PAIRS)[number][0 | 1]
const SIDES = ['sending', 'receiving'] as const

describeOnPostgres('While rates move at every read', (server) => {
  let databases: Database[]
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let token: string
  /** The address of one user of each VASP. */
  let receivers: readonly string[]
  let neighbour: string
  let bob: string

  beforeAll(async () => {
    databases = [await openMigrated(server), await openMigrated(server)]
    const [northDb, southDb] = databases as [Database, Database]
    both = await startTwoVasps(northDb, southDb)
    ;({ north, south } = both)
    await moveRatesAtEachRead(north)
    await moveRatesAtEachRead(south)
    alice = await newUser(north, { USD: 10n ** 8n, EUR: 10n ** 8n, JPY: 10n ** 8n, KWD: 10n ** 8n })
    neighbour = await newUser(north, { EUR: 0n, USD: 0n, JPY: 0n, SAT: 0n })
    bob = await newUser(south, { EUR: 0n, USD: 0n, JPY: 0n, SAT: 0n })
    receivers = [`$${neighbour}@${north.domain}`, `$${bob}@${south.domain}`]
    token = await north.connectionToken(alice, COMMANDS)
  })
  afterAll(async () => {
    await both.stop()
    for (const db of databases) await db.close()
  })

  const quote = async (from: Code, to: Code, side: (typeof SIDES)[number], address: string): Promise<Answer> => {
    const query = {
      sending_currency_code: from,
      receiving_currency_code: to,
      locked_currency_amount: '10007',
      locked_currency_side: side,
      receiver_address: address,
    }
    const answer = await north.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
    expect(answer.body).toMatchObject({ payment_hash: expect.any(String) as string })
    return answer
  }
  const execute = async (hash: unknown): Promise<void> => {
    const paid = await north.post(`/quote/${String(hash)}`, token, { budget_currency_code: 'GBP' })
    expect(paid.body).toMatchObject({ preimage: expect.any(String) as string })
  }
  const payToAddress = async (from: Code, to: Code, address: string): Promise<void> => {
    const paid = await north.post('/payments/lud16', token, {
      receiver_address: address,
      sending_currency_code: from,
      sending_currency_amount: 7_919,
      receiving_currency_code: to,
      budget_currency_code: 'GBP',
    })
    expect(paid.body).toMatchObject({ preimage: expect.any(String) as string })
  }
  const expectOneRateEach = async (): Promise<void> => {
    for (const db of databases) {
      expect(await quotesOffTheirRates(db)).toEqual([])
      expect(await quotesOffTheirInvoices(db)).toEqual([])
      expect(await entriesOffTheirRates(db)).toEqual([])
      await expectSound(db)
    }
  }
  const payInvoice = async (invoice: string): Promise<void> => {
    const paid = await north.post('/payments/bolt11', token, { invoice })
    expect(paid.body).toMatchObject({ preimage: expect.any(String) as string })
  }

  test('a quote has one rate from its price to its ledger entry, even when another VASP answers in between', async () => {
    const hashes: unknown[] = []
    for (const address of receivers)
      for (const side of SIDES)
        for (const [from, to] of PAIRS) hashes.push((await quote(from, to, side, address)).body.payment_hash)
    expect(await quotesOffTheirRates(north.app.db)).toEqual([])
    for (const hash of hashes) await execute(hash)
    await expectOneRateEach()
  })

  test('an invoice, a keysend, a conversion and a payment to an address each have one rate', async () => {
    for (const [vasp, user] of [[north, neighbour] as const, [south, bob] as const])
      await payInvoice((await invoiceOf(vasp, user, 'EUR', 7_654_321n)).invoice)
    for (const [from, to] of PAIRS) {
      for (const address of receivers) await payToAddress(from, to, address)
      await exchange(north.app, { username: alice, from, to, amount: 12_347n, requestId: randomUUID() })
    }
    for (const { app } of [north, south]) {
      const records = [{ type: 696_969, value: Buffer.from(app === north.app ? neighbour : bob).toString('hex') }]
      const destination = app.node.identity.publicKeyHex
      const body = { pubkey: destination, amount: 3_333_333, tlv_records: records }
      expect((await north.post('/payments/keysend', token, body)).body).toMatchObject({
        preimage: expect.any(String) as string,
      })
    }
    await expectOneRateEach()
  })

  test('the multipliers and limits of one answer belong to one snapshot', async () => {
    const { body } = await north.get('/info', token)
    const currencies = body.currencies as { multiplier: number; max: number }[]
    for (const { multiplier, max } of currencies) {
      expect(multiplier * max).toBeLessThanOrEqual(10_000_000_000)
      expect(multiplier * (max + 1)).toBeGreaterThan(10_000_000_000 * (1 - 1e-9))
    }
  })

  test('many payments at the same time leave the books of both VASPs balanced, and each entry at one rate', async () => {
    const work = Array.from({ length: 48 }, async (_, index) => {
      const [from, to] = PAIRS[index % PAIRS.length] ?? PAIRS[0]
      const address = receivers[index % 2] ?? ''
      if (index % 3 === 0) return payToAddress(from, to, address)
      if (index % 3 === 1)
        return void (await exchange(north.app, { username: alice, from, to, amount: 1_009n, requestId: randomUUID() }))
      const { body } = await quote(from, to, SIDES[index % 2] ?? 'sending', address)
      return execute(body.payment_hash)
    })
    await Promise.all(work)
    expect((await walletOf(north.app.db, alice, 'USD')).held).toBe(0n)
    await expectOneRateEach()
  })
})
