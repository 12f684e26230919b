import type { PGlite } from '@electric-sql/pglite'
import { PrismaClient } from '@/lib/platform/db/generated/client'
import type { prismaCall } from '@/lib/platform/db/prisma-call'
import { SafePGliteAdapter } from '@/lib/platform/db/safe-pglite-adapter'

export interface PrismaCall {
  readonly name: string
  readonly run: Parameters<typeof prismaCall<readonly unknown[], unknown>>[1]
}

export interface Sent {
  readonly text: string
  readonly params: readonly unknown[]
}

const TRANSACTION = { text: 'begin', params: [] }
const TABLE = /"public"\."(\w+)"/g
/** The tables of money, of API calls and of UMA messages, whose statements are named SQL. */
const OF_STATEMENTS =
  /^(?:ledger_accounts|journal_entries|postings|rate_snapshots|pinned_rates|invoices|incoming_payments|payments|payment_write_offs|loss_acknowledgements|lightning_cursors|quotes|address_payment_keys|events|uma_(?:pay_requests|requests|nonces|remote_keys|callback_\w+))$/
const TIME = /^\d{4}-\d\d-\d\d[T ]/

/** Returns a function that runs a call on the database and returns the SQL that Prisma sent for it. */
export function recordPrisma(db: PGlite): (call: PrismaCall, params: readonly unknown[]) => Promise<Sent[]> {
  let sent: Sent[] = []
  const [query, transaction] = [db.query.bind(db), db.transaction.bind(db)]
  db.query = (text, params = [], options) => {
    sent.push({ text, params })
    return query(text, params, options)
  }
  db.transaction = (run) => {
    sent.push(TRANSACTION)
    return transaction(run)
  }
  const prisma = new PrismaClient({ adapter: new SafePGliteAdapter(db) })
  return async ({ run }, params) => {
    sent = []
    await run(prisma, ...params)
    return sent
  }
}

/** Where a call does what decision 4 leaves to named statements. */
export function faultsOf(sent: readonly Sent[]): string[] {
  if (sent.length !== 1) return [`sends ${sent.length} statements: ${sent.map(({ text }) => text).join('; ')}`]
  return sent.flatMap(({ text, params }) => {
    const tables = [...new Set([...text.matchAll(TABLE)].map(([, table = '']) => table))]
    return [
      ...(tables.length === 1 ? [] : [`uses the tables ${tables.join(', ')}`]),
      ...tables.filter((table) => OF_STATEMENTS.test(table)).map((table) => `uses ${table}`),
      ...(params.some((param) => param instanceof Date || TIME.test(String(param)))
        ? ['has a time as a parameter']
        : []),
    ]
  })
}
