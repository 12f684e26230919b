import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { FAULT_KINDS, FAULT_STAGES } from '@/lib/sandbox/faults/types'
import { describeOnBothEngines } from '@/test/databases/databases'
import { recomputeBooks } from '@/test/vasp/books'
import { injectFault, withFaultInjector } from '@/test/vasp/faults'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const BASE = 'http://localhost:3000/umanwc/v1'
const AMOUNT_MSATS = 1_000_000n
/** Covers four invoices. Further payments exceed the balance. */
const OPENING_MSATS = 4n * AMOUNT_MSATS

const fault = fc.record({
  kind: fc.constantFrom(...FAULT_KINDS.filter((kind) => kind !== 'delay')),
  stage: fc.constantFrom(...FAULT_STAGES),
  calls: fc.integer({ min: 1, max: 3 }),
})
type Step =
  | { readonly do: 'fault'; readonly fault: { readonly kind: (typeof FAULT_KINDS)[number] } }
  | {
      readonly do: 'pay' | 'pay without permission' | 'pay with a revoked token' | 'too much'
      readonly invoice: number
    }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('pay', 'pay', 'pay', 'pay without permission', 'pay with a revoked token', 'too much'),
      invoice: fc.integer({ min: 0, max: 5 }),
    }),
  },
)

describeOnBothEngines('Random faults during payments', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = withFaultInjector(await makeTestVasp(db()))
  })

  async function pay(token: string, body: unknown): Promise<{ status: number; fault: string | null; text: string }> {
    const headers = { Authorization: `Bearer ${token}` }
    const request = new Request(`${BASE}/payments/bolt11`, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await vasp.auth.fetch(request)
    const text = await response.text().catch(() => '')
    return { status: response.status, fault: response.headers.get('x-sandbox-fault'), text }
  }

  it('move no money and skip no ledger check: the books match the payments that ran', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 15 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, copies) => {
          const payer = await newUser(vasp, { SAT: OPENING_MSATS })
          const payee = await newUser(vasp, { SAT: 0n })
          const token = await vasp.connectionToken(payer, ['pay_invoice'])
          const weak = await vasp.connectionToken(payer, ['get_balance'])
          const revoked = await vasp.connectionToken(payer, ['pay_invoice'])
          for (const each of [weak, revoked])
            for (const stage of FAULT_STAGES) await injectFault(vasp, each, { kind: 'invalid_json', stage, calls: 100 })
          await db().query({ name: 'test_revoke', text: 'update connections set revoked_at = now() where id = $1' }, [
            idOf(revoked),
          ])
          const created = await Promise.all(
            Array.from({ length: 6 }, () => invoiceOf(vasp, payee, 'SAT', AMOUNT_MSATS)),
          )
          const tooMuch = await invoiceOf(vasp, payee, 'SAT', OPENING_MSATS + 1_000n)
          const balances = async (): Promise<[bigint, bigint]> => [
            (await walletOf(db(), payer, 'SAT')).available,
            (await walletOf(db(), payee, 'SAT')).available,
          ]
          const paid = new Set<number>()
          for (const each of steps) {
            if (each.do === 'fault') {
              await injectFault(vasp, token, each.fault).catch((error: unknown) => {
                if (!String(error).includes('many')) throw error
              })
              continue
            }
            const body = { invoice: each.do === 'too much' ? tooMuch.invoice : created[each.invoice]?.invoice }
            const by =
              each.do === 'pay without permission' ? weak : each.do === 'pay with a revoked token' ? revoked : token
            const before = await balances()
            const answers = await Promise.all(Array.from({ length: copies }, () => pay(by, body)))
            const after = await balances()
            const moved = after[1] - before[1]
            expect(before[0] - after[0]).toBe(moved)
            if (each.do !== 'pay') {
              expect(moved).toBe(0n)
              expect(answers.every((answer) => !answer.text.includes('"preimage":"'))).toBe(true)
              if (each.do !== 'too much') expect(answers.map((answer) => answer.fault)).toEqual(answers.map(() => null))
              continue
            }
            if (moved === 0n) {
              const isPaid = paid.has(each.invoice)
              // Without a fault, no money moves only if the invoice was paid before or the balance is spent.
              const plain = answers.filter((answer) => answer.fault === null)
              expect(plain.every(({ status }) => (isPaid ? status === 200 : status === 400 && paid.size === 4))).toBe(
                true,
              )
            } else {
              expect(moved).toBe(AMOUNT_MSATS)
              expect(paid.has(each.invoice)).toBe(false)
              paid.add(each.invoice)
            }
          }
          expect(await balances()).toEqual([
            OPENING_MSATS - BigInt(paid.size) * AMOUNT_MSATS,
            BigInt(paid.size) * AMOUNT_MSATS,
          ])
        },
      ),
      { numRuns: 25 },
    )
    const { breaches } = await vasp.app.audit.run('everything')
    expect(breaches).toEqual([])
    expect(await recomputeBooks(db())).toEqual([])
  })
})
