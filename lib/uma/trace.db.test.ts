import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type TwoVasps } from '@/test/uma/two-vasps'
import { newUser } from '@/test/vasp/money'

type Line = Readonly<Record<string, unknown>>
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

describeOnTwoDatabases('The trace of a UMA payment', (northDb, southDb) => {
  let both: TwoVasps
  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
  })
  afterAll(() => both.stop())

  test('has one trace id at both VASPs, and names the request and the payment from the call to the settlement', async () => {
    const { north, south } = both
    const alice = await newUser(north, { USD: 0n, SAT: 10_000_000_000n })
    const bob = await newUser(south, { EUR: 0n })
    const token = await north.connectionToken(alice, ['pay_to_address'])
    const before = [north.logged.length, south.logged.length]
    const response = await fetch(`${north.origin}${north.app.settings.apiBasePath}/payments/lud16`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
        tracestate: 'secret=canary',
      },
      body: JSON.stringify({
        receiver_address: `$${bob}@${south.domain}`,
        sending_currency_code: 'SAT',
        sending_currency_amount: 100_000,
        receiving_currency_code: 'EUR',
        budget_currency_code: 'SAT',
      }),
    })
    expect(response.status, await response.text()).toBe(200)
    const [atNorth = [], theirs = []] = [north.logged.slice(before[0]), south.logged.slice(before[1])].map((lines) =>
      lines.map((line) => JSON.parse(line) as Line).filter(({ traceId }) => traceId === TRACE),
    )
    // The other VASP reads the keys of this one in the same trace.
    const ours = atNorth.filter(({ requestId }) => requestId === response.headers.get('x-request-id'))
    const named = ours.find(({ path }) => path !== undefined)
    expect(named).toMatchObject({ status: 200, payment: expect.any(String), paymentHash: expect.any(String) })
    const { payment, paymentHash } = named ?? {}
    for (const msg of ['a payment is given to the node', 'a payment ended'])
      expect(ours.find((line) => line.msg === msg)).toMatchObject({ payment, paymentHash })
    expect(theirs.map(({ path }) => path)).toContain(`/.well-known/lnurlp/$${bob}`)
    expect(theirs.filter((line) => line.paymentHash === paymentHash).length).toBeGreaterThanOrEqual(2)
    expect([...north.logged, ...south.logged].join('')).not.toContain('canary')
  })
})
