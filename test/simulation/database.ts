import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, protocol, types, type messages } from '@electric-sql/pglite'
import type { Application } from '@/lib/backend/application'
import { openHouseAccounts, openNodeAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/ledger/rate-snapshot'
import type { Database } from '@/lib/platform/db/database'
import { decodeInt8, decodeInt8Array, INT8_ARRAY_OID, INT8_OID } from '@/lib/platform/db/int8'
import { readMigrations } from '@/lib/platform/db/migration-files'
import type { Statement } from '@/lib/platform/db/statement'
import { engineVersion, keptFolder } from '@/lib/platform/db/template'
import { REMOTE_KEY, START_MS, USERS, type Balances } from './cast'
import type { Stage } from './operations'
import type { Books, PaymentRow } from './rows'
import { settle } from './settlers'

// The migrations on an embedded database under simulated time. `now()` and `clock_timestamp()` of the schema `sim` come
// first in the search path, so that tables, SQL functions and the statements of the server all read the simulated clock.

/** The effect of a statement on a payment or an invoice. Faults are placed at these effects. */
export const TRANSITIONS = [
  'hold',
  'mark sending',
  'settle',
  'release',
  'give up',
  'late loss',
  'pay own',
  'keysend own',
  'credit',
  'suspend',
] as const
export type Transition = (typeof TRANSITIONS)[number]

export interface Effect {
  readonly rows: Record<string, unknown>[]
  /** Notifications on the channel `payment_ended`. Empty after a rollback. */
  readonly notifications: readonly string[]
}

/** One connection to an embedded database, with the same users, wallets and invoices at the start of each world. */
export interface SimulatedDatabase {
  readonly stage: Stage
  readonly constants: Pick<Application, 'house' | 'nodeAccounts' | 'rates'>
  /** Restores all rows to the start of a world. */
  reset(): void
  /**
   * Runs one statement in a transaction of its own. `commits` decides how the transaction ends.
   * @throws the error of the database.
   */
  execute(
    statement: Statement,
    params: readonly unknown[],
    nowMs: number,
    commits?: (transition: Transition | undefined, rows: readonly Record<string, unknown>[]) => boolean,
  ): Effect
  /** Increases with each committed change of money or of a payment's state. */
  version(): number
  /** The committed rows, kept up to date from the row changes that the database reports. */
  books(): Books
  payment(id: bigint): PaymentRow | undefined
  /** All rows as the database has stored them. */
  readBooks(): Books
  close(): Promise<void>
}

/** Tables whose row changes are reported, under their names in `Books`. */
const WATCHED = {
  wallets: 'wallets',
  ledger_accounts: 'accounts',
  journal_entries: 'entries',
  postings: 'postings',
  payments: 'payments',
  invoices: 'invoices',
  incoming_payments: 'receipts',
} as const
type Watched = keyof typeof WATCHED

const SIMULATED_TIME = `
  create schema sim;
  create function sim.now() returns timestamptz language sql stable
    as $$ select current_setting('sim.now')::timestamptz $$;
  create function sim.clock_timestamp() returns timestamptz language sql stable
    as $$ select current_setting('sim.now')::timestamptz $$;`

const SESSION = `
  set timezone = 'UTC';
  set sim.now = '2000-01-01T00:00:00Z';
  set sim.resetting = 'no';
  set search_path = sim, pg_catalog, public;
  set plan_cache_mode = force_generic_plan;`

const AFTER_MIGRATIONS = `
  create function sim.report_change() returns trigger language plpgsql as $$
  begin
    raise notice '%', json_build_object('table', tg_table_name, 'old', case when tg_op = 'UPDATE' then row_to_json(old) end,
                                        'new', row_to_json(new));
    return null;
  end $$;
  ${Object.keys(WATCHED)
    .map(
      (table) => `create trigger zz_report_change after insert or update on public.${table}
                  for each row execute function sim.report_change();`,
    )
    .join('\n')}
  -- The triggers of these tables rest during a reset. The session_replication_role would do the same, but each change of
  -- it discards all plans.
  do $$
  declare
    guard record;
  begin
    for guard in
      select tgname, tgrelid::regclass as table_name, pg_get_triggerdef(oid) as definition from pg_trigger
      where not tgisinternal and tgrelid in (select format('public.%I', name)::regclass from unnest(array[${[...Object.keys(WATCHED), 'loss_acknowledgements', 'movements'].map((table) => `'${table}'`).join()}]) as name)
    loop
      execute format('drop trigger %I on %s', guard.tgname, guard.table_name);
      execute case when guard.definition ~ ' WHEN '
        then regexp_replace(guard.definition, ' WHEN (.*) EXECUTE ', ' WHEN (current_setting(''sim.resetting'') = ''no'' AND \\1) EXECUTE ')
        else replace(guard.definition, ' EXECUTE ', ' WHEN (current_setting(''sim.resetting'') = ''no'') EXECUTE ') end;
    end loop;
  end $$;
  create function sim.reset() returns void language plpgsql as $$
  begin
    perform set_config('sim.resetting', 'yes', true);
    delete from movements where entry_id > (select entries from sim.base);
    delete from postings where id > (select postings from sim.base);
    delete from journal_entries where id > (select entries from sim.base);
    delete from payments;
    delete from incoming_payments;
    delete from loss_acknowledgements;
    delete from invoices where id > (select invoices from sim.base);
    update invoices set settled_at = null, received_msats = null, credited = null where settled_at is not null;
    update ledger_accounts a set balance = b.balance from sim.accounts b
      where b.id = a.id and a.balance is distinct from b.balance;
    perform setval(pg_get_serial_sequence('public.postings', 'id'), postings),
            setval(pg_get_serial_sequence('public.journal_entries', 'id'), entries),
            setval(pg_get_serial_sequence('public.payments', 'id'), 1, false),
            setval(pg_get_serial_sequence('public.incoming_payments', 'id'), 1, false),
            setval(pg_get_serial_sequence('public.invoices', 'id'), invoices)
      from sim.base;
  end $$;`

const MARK_BASE = `
  create table sim.base as
    select (select max(id) from postings) as postings, (select max(id) from journal_entries) as entries,
           (select max(id) from invoices) as invoices;
  create table sim.accounts as select id, balance from ledger_accounts;`

/** After this many worlds, the rows that they left behind are vacuumed. */
const VACUUM_AFTER = 200

export async function openSimulatedDatabase(users: Balances = USERS): Promise<SimulatedDatabase> {
  const db = await PGlite.create({ loadDataDir: new Blob([readFileSync(await keptSimulated())]) })
  await db.exec(`${SESSION} listen payment_ended;`)
  const rowsOf = openConnection(db)
  const books = openBooks()
  let clock = ''

  function execute(
    { name, text }: Statement,
    params: readonly unknown[],
    nowMs: number,
    commits: (transition: Transition | undefined, rows: readonly Record<string, unknown>[]) => boolean = () => true,
  ): Effect {
    const now = new Date(nowMs).toISOString()
    rowsOf.simple(now === clock ? 'begin' : `set sim.now = '${now}'; begin`)
    clock = now
    try {
      const { rows, changes } = rowsOf.prepared(name, text, params)
      const read = changes.map((change) => readJson(change) as Change)
      if (!commits(read.map(transitionOf).find(Boolean), rows)) {
        rowsOf.simple('rollback')
        return { rows, notifications: [] }
      }
      const { notifications } = rowsOf.simple('commit')
      for (const change of read) books.apply(change)
      return { rows, notifications }
    } catch (error) {
      rowsOf.simple('rollback')
      throw error
    }
  }

  const handle = {
    kind: 'postgres',
    query: (statement: Statement, params: readonly unknown[] = []) =>
      Promise.resolve(execute(statement, params, START_MS).rows),
  } as unknown as Database
  const constants = {
    house: await openHouseAccounts(handle),
    nodeAccounts: await openNodeAccounts(handle, [REMOTE_KEY]),
    rates: await openRates(handle),
  }
  const [stage] = await settle(handle, constants.house, [{ mark: 's', own: [0, 1, 2, 3] }], START_MS, users)
  if (stage === undefined) throw new Error('the database has no users')
  rowsOf.simple(MARK_BASE)
  const readBooks = (): Books =>
    Object.fromEntries(
      Object.entries(WATCHED).map(([table, name]) => {
        const text = `select row_to_json(t)::text as row from ${table} t order by id`
        const { rows } = rowsOf.prepared(`all_${table}`, text, [])
        return [name, rows.map(({ row }) => toRow(table, readJson(String(row)) as Record<string, unknown>))]
      }),
    ) as unknown as Books
  const start = readBooks()
  let worlds = 0
  return {
    stage,
    constants,
    reset() {
      rowsOf.simple('select sim.reset()')
      worlds += 1
      if (worlds % VACUUM_AFTER === 0) rowsOf.simple('vacuum')
      books.start(start)
    },
    execute,
    version: books.version,
    books: books.all,
    payment: books.payment,
    readBooks,
    close: () => db.close(),
  }
}

/** A database file with the migrations under simulated time. Creating it takes a few seconds, loading it less than one. */
async function keptSimulated(): Promise<string> {
  const sum = createHash('sha256').update(SIMULATED_TIME + SESSION + AFTER_MIGRATIONS)
  for (const { name, checksum } of readMigrations()) sum.update(`${name} ${checksum}\n`)
  const folder = await keptFolder(`simulated-${engineVersion()}-${sum.digest('hex').slice(0, 16)}`, async (made) => {
    const db = await PGlite.create()
    await db.exec(SIMULATED_TIME + SESSION)
    // Tables and functions are created in the first schema of the search path, and belong in `public`.
    await db.exec(`set search_path = public, sim, pg_catalog`)
    for (const { sql } of readMigrations()) await db.exec(sql)
    await db.exec(SESSION + AFTER_MIGRATIONS)
    writeFileSync(join(made, 'database.tar'), Buffer.from(await (await db.dumpDataDir('none')).arrayBuffer()))
    await db.close()
  })
  return join(folder, 'database.tar')
}

interface Answer {
  readonly rows: Record<string, unknown>[]
  /** The changes that `sim.report_change` has reported. */
  readonly changes: readonly string[]
  readonly notifications: readonly string[]
}

/** The connection in PostgreSQL's protocol: prepared statements, answered at once. PGlite's own `query` prepares none. */
function openConnection(db: PGlite): {
  simple(sql: string): Answer
  prepared(name: string, text: string, params: readonly unknown[]): Answer
} {
  const { serialize } = protocol
  const parser = new protocol.Parser()
  const prepared = new Map<string, { readonly text: string; readonly fields: readonly messages.Field[] }>()
  const decoders: Readonly<Record<number, (text: string) => unknown>> = {
    ...(types.parsers as Record<number, (text: string) => unknown>),
    [INT8_OID]: decodeInt8,
    [INT8_ARRAY_OID]: decodeInt8Array,
  }

  function ask(request: Uint8Array): messages.BackendMessage[] {
    const answers: messages.BackendMessage[] = []
    let error: Error | undefined
    parser.parse(db.execProtocolRawSync(request), (message) => {
      if (message.name === 'error') error = message as messages.DatabaseError
      else answers.push(message)
    })
    if (error !== undefined) throw error
    return answers
  }

  function answerOf(received: readonly messages.BackendMessage[], fields: readonly messages.Field[]): Answer {
    const rows: Record<string, unknown>[] = []
    const changes: string[] = []
    const notifications: string[] = []
    for (const message of received) {
      if (message.name === 'dataRow')
        rows.push(
          Object.fromEntries(
            (message as messages.DataRowMessage).fields.map((text, index) => {
              const field = fields[index]
              return [field?.name, text === null ? null : (decoders[field?.dataTypeID ?? 0]?.(text) ?? text)]
            }),
          ),
        )
      else if (message.name === 'notice') changes.push((message as messages.NoticeMessage).message ?? '')
      else if (message.name === 'notification')
        notifications.push((message as messages.NotificationResponseMessage).payload)
    }
    return { rows, changes, notifications }
  }

  return {
    simple: (sql) => answerOf(ask(serialize.query(sql)), []),
    prepared(name, text, params) {
      let known = prepared.get(name)
      if (known === undefined) {
        const described = ask(
          Buffer.concat([serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()]),
        )
        const columns = described.find((message) => message.name === 'rowDescription')
        known = { text, fields: (columns as messages.RowDescriptionMessage | undefined)?.fields ?? [] }
        prepared.set(name, known)
      }
      if (known.text !== text) throw new Error(`two statements are named ${name}`)
      const values = params.map(encode)
      return answerOf(
        ask(Buffer.concat([serialize.bind({ statement: name, values }), serialize.execute({}), serialize.sync()])),
        known.fields,
      )
    },
  }
}

type Scalar = string | number | bigint | boolean | null | undefined

function encode(param: unknown): string | null {
  const value = param as Scalar | readonly Scalar[]
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return String(value)
  const elements = value.map((each) =>
    each === null || each === undefined ? 'NULL' : `"${String(each).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${elements.join()}}`
}

interface Change {
  readonly table: Watched
  readonly old: Record<string, unknown> | null
  readonly new: Record<string, unknown>
}

/** JSON of rows, whose ids and amounts are integers below 2^53 here. */
function readJson(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && key !== 'position' ? BigInt(value) : value,
  )
}

function transitionOf({ table, old, new: row }: Change): Transition | undefined {
  if (table === 'incoming_payments') return row.invoice_id === null ? 'suspend' : 'credit'
  if (table === 'journal_entries') return row.kind === 'loss' ? 'late loss' : undefined
  if (table !== 'payments') return undefined
  if (old === null) {
    if (row.node_key !== null) return 'hold'
    return row.invoice === null ? 'keysend own' : 'pay own'
  }
  if (old.state === row.state) return undefined
  if (row.state === 'sending') return 'mark sending'
  if (row.state === 'succeeded') return 'settle'
  return old.state === 'held' ? 'give up' : 'release'
}

/** The rows of `Books` from a start and the changes since. */
function openBooks(): {
  start(books: Books): void
  apply(change: Change): void
  readonly version: () => number
  readonly all: () => Books
  readonly payment: (id: bigint) => PaymentRow | undefined
} {
  type Rows = Map<bigint, { readonly id: bigint }>
  let tables: Record<string, Rows> = {}
  let version = 0
  return {
    start(books) {
      tables = Object.fromEntries(
        Object.entries(books).map(([name, rows]: [string, readonly { readonly id: bigint }[]]) => [
          name,
          new Map(rows.map((row) => [row.id, row])),
        ]),
      )
    },
    apply({ table, old, new: row }) {
      const kept = toRow(table, row)
      tables[WATCHED[table]]?.set(kept.id, kept)
      if (table === 'journal_entries' || (table === 'payments' && old?.state !== row.state)) version += 1
    },
    version: () => version,
    all: () =>
      Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, [...rows.values()]])) as unknown as Books,
    payment: (id) => tables.payments?.get(id) as PaymentRow | undefined,
  }
}

function toRow(table: string, row: Record<string, unknown>): { readonly id: bigint } {
  return (table === 'invoices' ? { ...row, settled: row.settled_at !== null } : row) as { readonly id: bigint }
}
