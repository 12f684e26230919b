import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import { MAX_EXPORTS } from '@/lib/platform/http/rate-limits'
import { signIn } from '../../sandbox/shared/fetch-token'
import { stopProcess } from '../../sandbox/shared/processes'
import { startStack, userOf, type Stack } from '../stack/stack'

const ROWS = 50_000
/** As beside a flood of sign-ins. */
const MAX_ALIVE_MS = 1_000

let stack: Stack
let cookie: string
beforeAll(async () => {
  stack = await startStack({}, 'server.js', { alone: true })
  await stopProcess(stack.vasp)
  const dataDir = stack.settings.DATA_DIR ?? ''
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {}, onStep: () => {} })
  await db.query({
    name: 'test_movements',
    text: `insert into movements (entry_id, wallet_id, id, user_id, currency_code, kind, amount, sent, memo, created_at)
           select 1000000 + n, w.id, 1000000 + n, w.user_id, w.currency_code, 'payment', n, false, 'Row ' || n, now()
           from generate_series(1, ${ROWS}) n, wallets w where w.user_id in ('alice', 'bob') and w.currency_code = 'SAT'`,
  })
  await db.close()
  await stack.revive('VASP')
  cookie = await signIn(userOf(stack))
})
afterAll(() => stack?.stop())

const ask = (init: Pick<RequestInit, 'method' | 'signal'> = {}, as = cookie): Promise<Response> =>
  fetch(`${stack.vaspOrigin}/activity/export?format=csv`, {
    ...init,
    headers: { Accept: 'text/html', Cookie: as },
    redirect: 'manual',
  })

it('/-/alive answers within its bound while an export of many rows streams', async () => {
  const response = await ask()
  expect(response.status).toBe(200)
  const progress = { hasEnded: false }
  const text = response.text().finally(() => (progress.hasEnded = true))
  const waitsMs: number[] = []
  while (!progress.hasEnded) {
    const askedAtMs = performance.now()
    expect((await fetch(`${stack.vaspOrigin}/-/alive`)).status).toBe(200)
    waitsMs.push(performance.now() - askedAtMs)
  }
  const lines = (await text).split('\r\n')
  expect(lines.filter((line) => line.includes('Row '))).toHaveLength(ROWS)
  expect(waitsMs.length).toBeGreaterThan(5)
  expect(Math.max(...waitsMs)).toBeLessThan(MAX_ALIVE_MS)
})

it('a user has one export at a time, and a reader that leaves makes room for the next one', async () => {
  const leaving = new AbortController()
  const first = await ask({ signal: leaving.signal })
  const second = await ask()
  expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '5'])
  expect(await second.text()).toContain('An export of yours is in progress. Cancel it, or wait until it ends')
  const other = await ask({}, await signIn(userOf(stack, 'bob')))
  expect(other.status).toBe(200)
  leaving.abort()
  await other.body?.cancel()
  for (let round = 0; round <= MAX_EXPORTS; round++) {
    expect((await ask({ method: 'HEAD' })).status).toBe(200)
    const again = new AbortController()
    await expect.poll(async () => (await ask({ signal: again.signal })).status, { timeout: 10_000 }).toBe(200)
    again.abort()
  }
})
