import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { ensureSettings } from '../../sandbox/shared/settings'
import { emptyDataDir } from '../databases/embedded'
import { NO_POSTGRES, startTestPostgres, type TestPostgres } from '../databases/postgres'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'
import { startPgBouncer } from '../programs/pgbouncer'
import { startStack, userOf } from '../stack/stack'

const REFUSAL =
  'DATABASE_URL: a connection pooler in transaction or statement mode answers there, and sessions lose their settings and notifications in it. Set its pool_mode to session, or use the address of the PostgreSQL server itself.'

const missing = missingPackages(['pgbouncer'])
let postgres: TestPostgres | undefined
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

const reasonToSkip = (): string | undefined => missing ?? (postgres === undefined ? NO_POSTGRES : undefined)
const database = (): Promise<string> => postgres?.createMigratedDatabase() ?? Promise.reject(new Error(NO_POSTGRES))
const open = (databaseUrl: string): Promise<Database> => openDatabase({ databaseUrl, dataDir: '', log: () => {} })
const outcomeOf = (opening: Promise<Database>): Promise<string> =>
  opening.then(
    (db) => db.close().then(() => 'opened'),
    (error: unknown) => (error as Error).message,
  )

it.for([
  ['transaction', {}],
  ['transaction', { default_pool_size: 1 }],
  // Server connections in turn: a connection may meet the same one again by chance.
  ['transaction', { server_round_robin: 1, min_pool_size: 2 }],
  ['transaction', { server_round_robin: 1, min_pool_size: 3 }],
  ['statement', {}],
] as const)('a pooler in %s mode is refused 20 of 20 times, with %o', async ([mode, settings], test) => {
  const reason = reasonToSkip()
  if (reason !== undefined) return test.skip(reason)
  const pooler = await startPgBouncer(await database(), mode, settings)
  try {
    const outcomes: string[] = []
    for (let count = 0; count < 20; count++) outcomes.push(await outcomeOf(open(pooler.url)))
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => REFUSAL))
  } finally {
    await pooler.stop()
  }
})

it('a pooler in transaction mode is refused while other clients keep its connections busy', async (test) => {
  const reason = reasonToSkip()
  if (reason !== undefined) return test.skip(reason)
  const pooler = await startPgBouncer(await database(), 'transaction', { default_pool_size: 4 })
  const over = new AbortController()
  const busy = Array.from({ length: 6 }, () => transactionsUntil(pooler.url, over.signal))
  try {
    for (let count = 0; count < 10; count++) expect(await outcomeOf(open(pooler.url))).toBe(REFUSAL)
  } finally {
    over.abort()
    await Promise.all(busy)
    await pooler.stop()
  }
})

async function transactionsUntil(url: string, signal: AbortSignal): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  while (!signal.aborted) await client.query('begin; select pg_sleep(0.005); commit')
  await client.end()
}

it(
  'a server whose pooler has one session only does not start, and says what it needs',
  { timeout: 60_000 },
  async (test) => {
    const reason = reasonToSkip()
    if (reason !== undefined) return test.skip(reason)
    const pooler = await startPgBouncer(await database(), 'session', { default_pool_size: 1 })
    try {
      expect(await outcomeOf(open(pooler.url))).toMatch(/^DATABASE_URL: a second connection gets no answer there\./)
    } finally {
      await pooler.stop()
    }
  },
)

it('a server behind a pooler in transaction mode ends with one line and exit code 1', async (test) => {
  const reason = reasonToSkip()
  if (reason !== undefined) return test.skip(reason)
  const pooler = await startPgBouncer(await database(), 'transaction')
  const folder = emptyDataDir()
  try {
    const settings = ensureSettings(
      { name: 'Northbank', port: await freePort(), gatewayRootUrl: 'http://localhost:8080' },
      folder,
    )
    const server = spawn(process.execPath, ['server.js'], {
      env: { ...process.env, ...settings, NODE_ENV: 'production', DATABASE_URL: pooler.url },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, ended] = await Promise.all([text(server.stderr), once(server, 'exit')])
    expect([said, ended]).toEqual([`${REFUSAL}\n`, [1, null]])
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await pooler.stop()
  }
})

it('a server behind a pooler in session mode signs users in, and pays', async (test) => {
  const reason = reasonToSkip()
  if (reason !== undefined) return test.skip(reason)
  const pooler = await startPgBouncer(await database(), 'session')
  try {
    const stack = await startStack({ DATABASE_URL: pooler.url }, 'server.js', { alone: true })
    try {
      const permissions = ['make_invoice', 'pay_invoice', 'get_balance']
      const [payee, payer] = await Promise.all(
        ['bob', 'alice'].map((username) => fetchToken({ ...userOf(stack, username), permissions })),
      )
      const post = async (path: string, token: string | undefined, body: unknown) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
        const url = `${stack.vaspOrigin}/umanwc/v1${path}`
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
      }
      // More at once than the pool has connections.
      const paid = Array.from({ length: 30 }, async () => {
        const { body } = await post('/invoice', payee, { amount: 1_000 })
        const { invoice } = body
        return (await post('/payments/bolt11', payer, { invoice })).status
      })
      expect(new Set(await Promise.all(paid))).toEqual(new Set([200]))
      expect((await fetch(`${stack.vaspOrigin}/-/ready`)).status).toBe(200)
    } finally {
      await stack.stop()
    }
  } finally {
    await pooler.stop()
  }
})
