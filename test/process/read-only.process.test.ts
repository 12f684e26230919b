import { Client } from 'pg'
import { expect, it } from 'vitest'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { NO_POSTGRES, startTestPostgres } from '../databases/postgres'
import { ROUTES } from '../stack/routes'
import { startStack, userOf } from '../stack/stack'

it('with a read-only database, pages and reading calls go on, writing calls answer 503, and the instance stays in rotation', async (test) => {
  const postgres = await startTestPostgres()
  if (postgres === undefined) return test.skip(NO_POSTGRES)
  const databaseUrl = await postgres.createDatabase()
  const stack = await startStack({ DATABASE_URL: databaseUrl }, 'server.js', { alone: true })
  const admin = new Client({ connectionString: postgres.adminUrl })
  await admin.connect()
  try {
    const cookie = await signIn(userOf(stack))
    const token = await fetchToken({ ...userOf(stack), permissions: ['get_balance', 'make_invoice', 'pay_invoice'] })
    const name = new URL(databaseUrl).pathname.slice(1)
    await admin.query(`alter database ${name} set default_transaction_read_only = on`)
    // Waits until each is gone: one that still answers could write.
    await admin.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`)
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${stack.vaspOrigin}${path}`, { redirect: 'manual', ...init })

    await expect.poll(async () => (await ask('/-/serving')).status).toBe(200)
    const ready = await ask('/-/ready')
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { database: 'ok', writing: 'failed' } }])

    const pages = ROUTES.filter(({ path, methods }) => methods.includes('GET') && !path.includes('['))
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('/-/') && path !== '/events')
    expect(pages.length).toBeGreaterThan(15)
    const failed: string[] = []
    for (const path of pages) {
      const answer = await ask(path, { headers: { Cookie: cookie } })
      await answer.body?.cancel()
      if (answer.status >= 500) failed.push(`${path} ${answer.status}`)
    }
    expect(failed).toEqual([])
    for (const path of ['/', '/login', '/wallets', '/wallets/USD', '/connections', '/invoices', '/requests'])
      expect([path, (await ask(path, { headers: { Cookie: cookie } })).status]).toEqual([path, 200])

    const call = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    for (let count = 0; count < 3; count++)
      expect((await ask('/umanwc/v1/balance', { headers: call })).status).toBe(200)
    const invoice = await ask('/umanwc/v1/invoice', { method: 'POST', headers: call, body: '{"amount":1000}' })
    expect([invoice.status, invoice.headers.get('retry-after')]).toEqual([503, '5'])
  } finally {
    await admin.end()
    await stack.stop()
    await postgres.stop()
  }
})
