import { Client } from 'pg'
import { expect, it } from 'vitest'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { NO_POSTGRES, startTestPostgres } from '../databases/postgres'
import { startStack, userOf } from '../stack/stack'
import { addOldPayments } from '../vasp/old-payments'

const PAYMENTS = 100_000
const START_SECONDS = 15
/** The audit of older entries uses a quarter of a core. */
const FOUND_SECONDS = 180

it('with 100,000 payments, a start serves at once; a balance that was changed while it was down stops payments within three minutes, and the next start refuses payments at once', async (test) => {
  const postgres = await startTestPostgres()
  if (postgres === undefined) return test.skip(NO_POSTGRES)
  const databaseUrl = await postgres.createDatabase()
  const stack = await startStack({ DATABASE_URL: databaseUrl }, 'server.js', { alone: true })
  const admin = new Client({ connectionString: databaseUrl })
  await admin.connect()
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${stack.vaspOrigin}${path}`, init)
  const books = async (): Promise<unknown> =>
    ((await (await ask('/-/ready')).json()) as { checks: Record<string, string> }).checks.books
  /** Seconds until the process serves. */
  const restart = async (): Promise<number> => {
    await stack.kill('VASP')
    const startedMs = performance.now()
    await stack.revive('VASP')
    return (performance.now() - startedMs) / 1_000
  }
  try {
    await addOldPayments(admin, PAYMENTS, ['alice', 'bob'])
    const token = await fetchToken({ ...userOf(stack), permissions: ['get_balance', 'make_invoice', 'pay_invoice'] })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const call = async (path: string, body: object): Promise<{ readonly status: number; readonly invoice: string }> => {
      const answer = await ask(`/umanwc/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: answer.status, invoice: ((await answer.json()) as { invoice?: string }).invoice ?? '' }
    }
    const pay = async (): Promise<number> => {
      const { invoice } = await call('/invoice', { amount: 1_000 })
      return (await call('/payments/bolt11', { invoice })).status
    }

    // The stored position is far behind: all books are read before the first payment, but not before the first page.
    expect(await restart()).toBeLessThan(START_SECONDS)
    await signIn(userOf(stack))
    await expect.poll(books, { timeout: FOUND_SECONDS * 1_000, interval: 500 }).toBe('ok')
    expect(await pay()).toBe(200)

    await admin.query(`begin; set local session_replication_role = replica;
      update ledger_accounts a set balance = balance + 1 from wallets w
      where w.id = a.wallet_id and a.kind = 'available' and w.user_id = 'bob' and w.currency_code = 'SAT'; commit`)
    expect(await restart()).toBeLessThan(START_SECONDS)
    await signIn(userOf(stack))
    await expect.poll(books, { timeout: FOUND_SECONDS * 1_000, interval: 500 }).toBe('failed')
    expect(await pay()).toBe(503)

    expect(await restart()).toBeLessThan(START_SECONDS)
    expect([await books(), await pay()]).toEqual(['failed', 503])
    await signIn(userOf(stack))
  } finally {
    await admin.end()
    await stack.stop()
    await postgres.stop()
  }
})
