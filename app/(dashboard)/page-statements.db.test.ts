import type { ReactElement, ReactNode } from 'react'
import { beforeAll, expect, it, vi } from 'vitest'
import LoginPage from '@/app/login/page'
import type { Database } from '@/lib/platform/db/database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { pageUser } from '@/test/vasp/page-user'
import { idOf, makeTestVasp, onDatabase } from '@/test/vasp/vasp'
import * as connectionPage from './connections/[id]/page'
import * as connectionsPage from './connections/page'
import * as wirePage from './developers/wire/page'
import * as invoicePage from './invoices/[hash]/page'
import * as invoicesPage from './invoices/page'
import * as requestsPage from './requests/page'
import * as searchPage from './search/page'
import * as settingsPage from './settings/page'
import * as statusPage from './status/page'
import * as walletPage from './wallets/[code]/page'
import * as walletsPage from './wallets/page'
import * as receivePage from './wallets/receive/page'
import * as sendPage from './wallets/send/page'
import * as sentPage from './wallets/sent/[hash]/page'

/** `cache` of React, which remembers for one request. Outside a request it remembers nothing. */
const request = vi.hoisted(() => ({ answers: new Map<unknown, Map<string, unknown>>() }))
vi.mock(import('react'), async (original) => ({
  ...(await original()),
  cache: ((read: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      const known = request.answers.get(read) ?? new Map<string, unknown>()
      request.answers.set(read, known)
      const key = args.map(String).join(' ')
      if (!known.has(key)) known.set(key, read(...args))
      return known.get(key)
    }) as never,
}))
vi.mock('next/headers', () => ({
  cookies: async () => ({ get: () => undefined, set: () => undefined }),
  headers: async () => new Headers(),
}))
let signedIn = ''
vi.mock(import('./require-user'), () => ({ requireUser: async () => pageUser(signedIn) }))

interface Page {
  readonly generateMetadata?: (props: never) => unknown
  readonly default: (props: never) => ReactNode | Promise<ReactNode>
}

/** The children of a component are elements of its output too. */
const ran = new WeakSet()

/** Runs every server component of a page, once. Components of the browser, which read no database, throw at their first hook. */
async function run(node: unknown): Promise<void> {
  if (Array.isArray(node)) return void (await Promise.all(node.map(run)))
  if (typeof node !== 'object' || node === null || !('props' in node) || ran.has(node)) return
  ran.add(node)
  const { type, props } = node as ReactElement<{ children?: ReactNode }>
  await run(props.children)
  if (typeof type !== 'function') return
  await run(await outcomeOf(() => (type as (props: unknown) => unknown)(props)))
}

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TypeError && /reading 'use\w+'/.test(error.message)) return null
    throw error
  }
}

/** The same database, which notes each statement. */
function noting(db: Database, noted: string[]): Database {
  const note = <Target extends object>(name: string, target: Target): Target =>
    new Proxy(target, {
      get(each, key) {
        const value = Reflect.get(each, key) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          noted.push(`${name}.${String(key)}`)
          return (value as (...args: unknown[]) => unknown).apply(each, args)
        }
      },
    })
  const prisma = new Proxy(db.prisma, {
    get: (client, table) => note(String(table), Reflect.get(client, table) as object),
  })
  const query: Database['query'] = (statement, params) => {
    noted.push(statement.name)
    return db.query(statement, params)
  }
  return { ...db, prisma, query }
}

describeOnBothEngines('A page', (db) => {
  const noted: string[] = []
  let ids: Readonly<Record<'connection' | 'invoice' | 'payment', string>>
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const vasp = await makeTestVasp(db())
    const payee = await newUser(vasp, { SAT: 0n })
    signedIn = await newUser(vasp, { USD: 100_000n, SAT: 10_000_000n })
    const token = await vasp.connectionToken(signedIn, ['pay_invoice'])
    const { invoice, paymentHash: payment } = await invoiceOf(vasp, payee, 'SAT', 1_000n)
    expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBe(200)
    const own = await invoiceOf(vasp, signedIn, 'SAT', 1_000n)
    ids = { connection: idOf(token), invoice: own.paymentHash, payment }
    processSingletons().set('application', onDatabase(vasp, noting(db(), noted)).app)
  })

  const statementsOf = async (page: Page, params: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    noted.length = 0
    request.answers.clear()
    const props = { params: Promise.resolve(params), searchParams: Promise.resolve({}) } as never
    await page.generateMetadata?.(props)
    await run(await page.default(props))
    return noted.toSorted()
  }

  // Beside what every page of the user reads: the session, and what the header and the notices show.
  it('reads its data in these statements, each once', async () => {
    const { connection, invoice, payment } = ids
    expect({
      wallets: await statementsOf(walletsPage),
      wallet: await statementsOf(walletPage, { code: 'SAT' }),
      connections: await statementsOf(connectionsPage),
      connection: await statementsOf(connectionPage, { id: connection }),
      requests: await statementsOf(requestsPage),
      invoices: await statementsOf(invoicesPage),
      invoice: await statementsOf(invoicePage, { hash: invoice }),
      payment: await statementsOf(sentPage, { hash: payment }),
      send: await statementsOf(sendPage),
      receive: await statementsOf(receivePage),
      wire: await statementsOf(wirePage),
      search: await statementsOf(searchPage),
      settings: await statementsOf(settingsPage),
      status: await statementsOf(statusPage),
      login: await statementsOf({ default: LoginPage }),
    }).toEqual({
      wallets: ['open_payments', 'statement_lines'],
      wallet: ['open_payments', 'statement_lines'],
      connections: ['list_active_connections'],
      connection: [
        'calls_of_connection',
        'find_connection',
        'list_connection_faults',
        'list_open_quotes',
        'payments_of_connection',
        'spending_of_connection',
      ],
      requests: ['list_uma_requests'],
      invoices: ['list_invoices_open', 'list_uma_invoices'],
      invoice: ['find_invoice', 'list_test_users'],
      payment: ['events_of_payment', 'find_payment', 'payment_moves'],
      send: ['recent_receivers'],
      receive: ['wallet_accounts'],
      wire: ['count_calls_by_code', 'list_active_connections', 'list_events'],
      search: [],
      settings: ['wallet_accounts'],
      status: ['used_quotas'],
      login: ['list_test_users'],
    })
  })
})
