import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createEventRecorder } from '@/lib/events/recorder'
import { describeOnBothEngines } from '@/test/databases/databases'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { findPlace, readSearch } from './find-place'

describeOnBothEngines('The search of a user', (db) => {
  let vasp: TestVasp
  let payer: string
  let payee: string
  let hash: string
  let invoice: string
  let connection: string
  const requestId = randomUUID()

  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    payer = await newUser(vasp, { SAT: 10_000_000n })
    payee = await newUser(vasp, { SAT: 0n })
    const token = await vasp.connectionToken(payer, ['pay_invoice'])
    connection = idOf(token)
    const created = await invoiceOf(vasp, payee, 'SAT', 1_000n)
    hash = created.paymentHash
    invoice = created.invoice
    expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBe(200)
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    recorder.record({ kind: 'api_call', name: 'GET /info', userId: payer, requestId })
    await recorder.close()
  })

  const find = async (username: string, typed: string, withWire = true): Promise<string | undefined> => {
    const { sought } = readSearch(typed)
    return sought && findPlace(vasp.app, username, sought, withWire)
  }

  it('leads each side of a payment to its own page, and a stranger to none', async () => {
    const stranger = await newUser(vasp, { SAT: 0n })
    expect(await find(payer, hash.toUpperCase())).toBe(`/wallets/sent/${hash}`)
    expect(await find(payee, hash)).toBe(`/invoices/${hash}`)
    expect(await find(stranger, hash)).toBeUndefined()
  })

  it('leads to one’s own invoice, and from that of another user to its payment', async () => {
    expect(await find(payee, `lightning:${invoice}`)).toBe(`/invoices/${hash}`)
    expect(await find(payer, invoice)).toBe(`/wallets/send?invoice=${invoice}`)
    const damaged = `${invoice.slice(0, -6)}qqqqqq`
    expect(await find(payee, damaged)).toBe(`/wallets/send?invoice=${damaged}`)
  })

  it('finds connections and requests of the user only, and requests only with the sandbox tools', async () => {
    expect(await find(payer, connection)).toBe(`/connections/${connection}`)
    expect(await find(payee, connection)).toBeUndefined()
    expect(await find(payer, requestId)).toMatch(/^\/developers\/wire\/\d+$/)
    expect(await find(payer, requestId, false)).toBeUndefined()
    expect(await find(payee, requestId)).toBeUndefined()
    expect(await find(payer, randomUUID())).toBeUndefined()
  })

  it('keeps what was typed inside the parameter of the page it leads to', async () => {
    expect(await find(payer, '$bob@bank.example')).toBe('/wallets/send?invoice=%24bob%40bank.example')
    expect(await find(payer, 'Rent&state=failed#x')).toBe('/activity?text=Rent%26state%3Dfailed%23x')
    expect(await find(payer, `uma1${'q'.repeat(40)}`)).toBe(`/wallets/send?invoice=uma1${'q'.repeat(40)}`)
    expect(await find(payer, 'x'.repeat(101))).toBeUndefined()
  })
})
