import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import { sqlState } from '@/lib/platform/db/sql-state'
import type { Twin } from './twin'
import { describe as text } from './world'

// Each statement of the code on SQL and on the twin, one after the other: what they answer is equal, or it is kept as the
// divergence, and nothing more is carried out.

export const PATIENCE: Statement = {
  name: 'simulated_patience',
  text: `update payments set lease_expires_at = lease_expires_at - interval '20 seconds',
                             not_found_at = not_found_at - interval '40 seconds'
         where user_id = any($1) and lease_expires_at is not null`,
}

export type StatementCounts = Map<string, number>

export interface InStep {
  readonly db: Database
  readonly twin: Twin
  readonly people: readonly string[]
  /** How often each statement was carried out by both. */
  readonly counts: StatementCounts
  /** After each statement, before the code goes on. */
  readonly afterEach?: ((step: string) => Promise<void>) | undefined
}

export function inStep({ db, twin, people, counts, afterEach }: InStep): {
  readonly db: Database
  /** @throws Error of the first statement after which the two differed: the code that asked may have caught it. */
  readonly agreed: () => void
} {
  let queue: Promise<unknown> = Promise.resolve()
  let step = 0
  let divergence: Error | undefined
  async function both(statement: Statement, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    if (divergence !== undefined) throw divergence
    step += 1
    if (statement === PATIENCE) {
      twin.age(20_000)
      return db.query(statement, params)
    }
    counts.set(statement.name, (counts.get(statement.name) ?? 0) + 1)
    const said = `statement ${step}, ${statement.name} ${text(params)}`
    const real = await waitForEnd(() => db.query(statement, params))
    await followIds(statement.name, real)
    const twins = await waitForEnd(() => Promise.resolve(twin.execute(statement.name, params).rows))
    const [theirs, sql] = [text(withoutEntry(twins)), text(withoutEntry(real))]
    if (theirs !== sql) throw (divergence = new Error(`${said}\n  SQL:  ${sql}\n  twin: ${theirs}`))
    await afterEach?.(said).catch((error: Error) => {
      throw (divergence = error)
    })
    if ('error' in real) throw real.error
    return real.rows
  }

  /** The twin's next payment has the id that SQL drew for it, or one that SQL has not drawn, where SQL made none. */
  async function followIds(name: string, real: Outcome): Promise<void> {
    if (!DRAWS_PAYMENT.has(name)) return
    const [row] = 'rows' in real ? (real.rows as { outcome?: unknown; payment_id?: unknown }[]) : []
    if (row?.outcome === 'held') twin.nextPaymentId = row.payment_id as bigint
    else if (row?.outcome === 'paid') twin.nextPaymentId = await lastPayment()
    else twin.nextPaymentId = NOBODY
  }

  async function lastPayment(): Promise<bigint> {
    const [row] = await db.query<{ last: bigint | null }>(
      { name: 'last_payment', text: `select max(id) as last from payments where user_id = any($1)` },
      [people],
    )
    return row?.last ?? NOBODY
  }

  const database = {
    kind: 'embedded',
    query(statement: Statement, params: readonly unknown[] = []) {
      const mine = queue.then(() => both(statement, params))
      queue = mine.catch(() => undefined)
      return mine
    },
    listen: () => Promise.resolve(),
  } as unknown as Database
  return {
    db: database,
    agreed() {
      if (divergence !== undefined) throw divergence
    },
  }
}

const DRAWS_PAYMENT = new Set(['hold_payment', 'settle_internal_payment', 'settle_internal_keysend'])
const NOBODY = 1_000_000_000_000n

type Outcome =
  | { readonly rows: Record<string, unknown>[] }
  | { readonly error: unknown; readonly state: string | undefined; readonly constraint: unknown }

async function waitForEnd(run: () => Promise<Record<string, unknown>[]>): Promise<Outcome> {
  try {
    return { rows: await run() }
  } catch (error) {
    return { error, state: sqlState(error), constraint: (error as { constraint?: unknown }).constraint }
  }
}

/** Entries are numbered by each side for itself, and the words of an error are its own. */
function withoutEntry(outcome: Outcome): unknown {
  if ('error' in outcome) return { state: outcome.state, constraint: outcome.constraint }
  // Those of one claim come in no certain order.
  return outcome.rows
    .map((row) =>
      text(
        Object.entries(row)
          .filter(([key]) => key !== 'entry_id' && key !== 'post_entry')
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
    .sort()
}
