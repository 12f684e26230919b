import { AsyncLocalStorage } from 'node:async_hooks'
import type { Application } from '@/lib/backend/application'
import type { LightningNode, OutgoingPayment, SendOutcome, TrackOutcome } from '@/lib/lightning/node'
import type { Rate } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import type { Asked } from './operations'

// Bugs that are built into the simulation, to prove that it would find them. A bug of TypeScript sits between the payment
// code and a port: it changes statements, their rows, or what the node is asked and answers. A bug of SQL replaces a pattern
// in a function of a database of its own. Neither depends on names inside the payment code.

type Ports = Pick<Application, 'db' | 'node' | 'rates'>
type Row = Record<string, unknown>
type Query = (statement: Statement, params: readonly unknown[]) => Promise<Row[]>

/** A wrapper between the payment code and its ports. */
export interface PlantedPorts {
  /** For each instance. */
  wrap(ports: Ports): Ports
  /** Runs one request of a client. */
  during<Result>(asked: Asked | undefined, run: () => Promise<Result>): Promise<Result>
}
export const NO_BUG: PlantedPorts = { wrap: (ports) => ports, during: (_asked, run) => run() }

interface Context {
  /** Counts that the bug has changed something. */
  readonly took: () => void
  /** The current request of the client. */
  readonly asked: () => Asked | undefined
}

export interface PlantedBug {
  readonly number: number
  readonly title: string
  readonly ports?: (ports: Ports, context: Context) => Partial<Ports>
  readonly sql?: {
    /** Each pattern occurs once in its function. */
    readonly functions: Readonly<Record<string, readonly (readonly [pattern: RegExp, replacement: string])[]>>
    /** Drops the guards that would stop the bug by themselves. The list shows how many guards a real bug would meet. */
    readonly unguarded: readonly string[]
  }
}

/** A bug of TypeScript, ready to use; `times` counts how often it has changed something. */
export function plantedPorts({ ports: plantIn }: PlantedBug): PlantedPorts & { readonly times: () => number } {
  if (plantIn === undefined) return { ...NO_BUG, times: () => 0 }
  const requests = new AsyncLocalStorage<Asked | undefined>()
  let times = 0
  const context: Context = { took: () => void (times += 1), asked: () => requests.getStore() }
  return {
    wrap: (ports) => ({ ...ports, ...plantIn(ports, context) }),
    during: (asked, run) => requests.run(asked, run),
    times: () => times,
  }
}

/** A database whose statements pass through `query`. */
function onQuery(db: Database, query: (forward: Query) => Query): Database {
  const forward: Query = (statement, params) => db.query<Row>(statement, params)
  const changed = query(forward)
  return {
    ...db,
    query: ((statement: Statement, params: readonly unknown[] = []) => changed(statement, params)) as Database['query'],
  }
}

function onAnswer(
  node: LightningNode,
  change: <Outcome extends TrackOutcome>(outcome: Outcome) => Outcome | SendOutcome,
) {
  return {
    ...node,
    send: async (payment: OutgoingPayment) => change(await node.send(payment)),
    track: async (payment: Parameters<LightningNode['track']>[0]) => change(await node.track(payment)),
  }
}

const MARKS_SENDING = /update payments\s+set state = 'sending'/
const FINDS_EARLIER = /payment_hash = \$1 and \w+\.state <> 'failed'/
const HOLDS = /\bhold_payment\(/
const SETTLES = /\bsettle_payment\(/
const ENDS = /\b(?:settle|fail)_payment\(/

export const PLANTED: readonly PlantedBug[] = [
  {
    number: 2,
    title: 'refund on timeout',
    ports: ({ node }, { took }) => ({
      node: onAnswer(node, (outcome) => {
        if (outcome.kind !== 'unknown') return outcome
        took()
        return { kind: 'failed', failure: 'late' }
      }),
    }),
  },
  {
    number: 3,
    title: 'send before `sending` is committed',
    ports({ db, node }, { took }) {
      const marks = new Map<unknown, () => Promise<Row[]>>()
      return {
        db: onQuery(db, (forward) => async (statement, params) => {
          if (!MARKS_SENDING.test(statement.text)) return forward(statement, params)
          marks.set(params[0], () => forward(statement, params))
          return [{ id: params[0] }]
        }),
        node: {
          ...node,
          async send(payment) {
            took()
            const outcome = await node.send(payment)
            const marked = await marks.get(payment.sendId)?.()
            return marked?.length === 0 ? { kind: 'unknown' } : outcome
          },
        },
      }
    },
  },
  {
    number: 6,
    title: 'fee above the hold',
    ports({ db, node }, { took }) {
      const fees = new Map<unknown, bigint>()
      return {
        node: {
          ...node,
          async send(payment) {
            const outcome = await node.send(payment)
            if (outcome.kind === 'succeeded') fees.set(payment.sendId, outcome.feeMsats)
            return outcome
          },
        },
        db: onQuery(db, (forward) => (statement, params) => {
          const [id, preimage, charged, debit, accounts, amounts] = params as [
            bigint,
            string,
            bigint,
            bigint,
            bigint[],
            bigint[],
          ]
          const excess = SETTLES.test(statement.text) ? (fees.get(id) ?? charged) - charged : 0n
          if (excess === 0n) return forward(statement, params)
          took()
          // The payer bears what the operator would have borne.
          const borne = amounts.findIndex((amount) => amount === -excess)
          return forward(statement, [
            id,
            preimage,
            charged + excess,
            debit + excess,
            accounts.filter((_, index) => index !== borne),
            amounts.filter((_, index) => index !== borne),
          ])
        }),
      }
    },
  },
  {
    number: 8,
    title: 'a hash alone identifies an invoice',
    ports: ({ db }, { took, asked }) => ({
      db: onQuery(db, (forward) => async (statement, params) => {
        const rows = await forward(statement, params)
        const request = asked()
        if (request === undefined || !FINDS_EARLIER.test(statement.text)) return rows
        return rows.map((row) => {
          if (row.invoice !== request.invoice || row.amount_msats !== request.amountMsats) took()
          return { ...row, invoice: request.invoice, amount_msats: request.amountMsats }
        })
      }),
    }),
  },
  {
    number: 9,
    title: 'a retry that repeats the call to the node',
    ports({ db, node }, { took }) {
      const sent = new Map<unknown, OutgoingPayment>()
      return {
        node: {
          ...node,
          send(payment) {
            sent.set(payment.sendId, payment)
            return node.send(payment)
          },
        },
        db: onQuery(db, (forward) => async (statement, params) => {
          const payment = ENDS.test(statement.text) ? sent.get(params[0]) : undefined
          if (payment === undefined) return forward(statement, params)
          return forward(statement, params).catch(async () => {
            took()
            await node.send({ ...payment, sendId: payment.sendId + 1_000_000n })
            return forward(statement, params)
          })
        }),
      }
    },
  },
  {
    number: 10,
    title: 'NOT_FOUND fails the payment at once',
    ports: ({ node }, { took }) => ({
      node: onAnswer(node, (outcome) => {
        if (outcome.kind !== 'not-found') return outcome
        took()
        return { kind: 'failed', failure: 'never-sent' }
      }),
    }),
  },
  {
    number: 14,
    title: 'conversion in floating point, the price read from a `real` column',
    ports: ({ rates }, { took }) => ({
      rates: {
        ...rates,
        async ofSnapshot(id) {
          const table = await rates.ofSnapshot(id)
          return (code) => {
            const exact = table(code)
            const rounded = asReal(exact)
            if (rounded.denominator * exact.numerator !== exact.denominator * rounded.numerator) took()
            return rounded
          }
        },
      },
    }),
  },
  {
    number: 15,
    title: 'the reconciler ignores payments that are only held',
    ports: ({ db }, { took }) => ({
      db: onQuery(db, (forward) => async (statement, params) => {
        const rows = await forward(statement, params)
        // Only claimed payments show whether they are stale.
        const kept = rows.filter((row) => !('stale' in row) || row.state === 'sending')
        if (kept.length < rows.length) took()
        return kept
      }),
    }),
  },
  {
    number: 16,
    title: 'no check of the owner',
    ports: ({ db }, { took, asked }) => ({
      db: onQuery(db, (forward) => async (statement, params) => {
        const rows = await forward(statement, params)
        const request = asked()
        if (request === undefined || !FINDS_EARLIER.test(statement.text)) return rows
        return rows.map((row) => {
          if (row.user_id !== request.username) took()
          return { ...row, user_id: request.username }
        })
      }),
    }),
  },
  {
    number: 1,
    title: 'a balance is read and then written',
    sql: {
      functions: {
        post_entry: [[/\n[^\n]*from ledger_accounts[^\n]*for update;/, '']],
        postings_update_balance: [
          [
            /update ledger_accounts set balance = balance \+ new\.amount where id = new\.account_id[\s\S]*?returning \* into (\w+);/,
            `select * into $1 from ledger_accounts where id = new.account_id;
             if $1.balance is not null then
               $1.balance := $1.balance + new.amount;
               update ledger_accounts set balance = $1.balance where id = new.account_id;
             end if;`,
          ],
        ],
      },
      unguarded: [],
    },
  },
  {
    number: 4,
    title: 'settle without a condition on the state',
    sql: {
      functions: { settle_payment: [[/if \w+\.state = 'failed' then/, 'if false then']] },
      unguarded: [
        'drop trigger payments_settled_immutable on payments',
        'drop trigger payments_state_transition on payments',
        'drop trigger entries_match_payment on journal_entries',
        'drop trigger payments_end_matches_ledger on payments',
      ],
    },
  },
  {
    number: 5,
    title: 'release twice',
    sql: {
      functions: {
        fail_payment: [
          [/if \w+\.state = 'failed' then/, 'if false then'],
          [/'release:' \|\| (\w+)/, `'release:' || $1 || ':' || gen_random_uuid()`],
        ],
      },
      unguarded: [
        'drop trigger payments_settled_immutable on payments',
        'drop index journal_entries_payment_id_kind_key',
        'drop trigger entries_match_payment on journal_entries',
      ],
    },
  },
  {
    number: 7,
    title: 'the invoice’s text alone decides whether it was paid',
    ports: ({ db }, { took, asked }) => ({
      db: onQuery(db, (forward) => async (statement, params) => {
        const request = asked()
        if (request === undefined || !FINDS_EARLIER.test(statement.text)) return forward(statement, params)
        took()
        const text = statement.text.replace(/(\w+)\.payment_hash = \$1/, 'coalesce($1.invoice, $1.payment_hash) = $$1')
        return forward({ name: 'earlier_by_text', text }, [request.invoice ?? params[0], ...params.slice(1)])
      }),
    }),
    sql: {
      functions: {
        hold_payment: [
          [/(\w+)\.payment_hash = \w+ and state <> 'failed' or/, `$1.invoice = paid_invoice and state <> 'failed' or`],
          [/on conflict \(payment_hash\) where state <> 'failed' do nothing/, 'on conflict do nothing'],
        ],
        settle_internal_keysend: [
          [/on conflict \(payment_hash\) where state <> 'failed' do nothing/, 'on conflict do nothing'],
        ],
      },
      unguarded: ['drop index payments_payment_hash_live_key'],
    },
  },
  {
    number: 11,
    title: 'a lock only inside the process',
    ports({ db }, { took }) {
      const inProcess = new Map<unknown, Promise<unknown>>()
      const hold = async (forward: Query, statement: Statement, params: readonly unknown[]): Promise<Row[]> => {
        const [known] = await forward(
          {
            name: 'earlier_in_process',
            text: `select 'known' as outcome, id as payment_id from payments where payment_hash = $1 and state <> 'failed' limit 1`,
          },
          [params[0]],
        )
        return known === undefined ? forward(statement, params) : [known]
      }
      return {
        db: onQuery(db, (forward) => (statement, params) => {
          if (!HOLDS.test(statement.text)) return forward(statement, params)
          took()
          const before = inProcess.get(params[0]) ?? Promise.resolve()
          const mine = before.then(() => hold(forward, statement, params))
          inProcess.set(
            params[0],
            mine.catch(() => undefined),
          )
          return mine
        }),
      }
    },
    sql: {
      functions: {
        hold_payment: [
          [/\n[^\n]*from users where id = \w+ for no key update;/, ''],
          [/where \w+\.payment_hash = \w+ and state <> 'failed' or/, 'where'],
          [/on conflict \(payment_hash\) where state <> 'failed' do nothing/, 'on conflict do nothing'],
        ],
        settle_internal_keysend: [
          [/on conflict \(payment_hash\) where state <> 'failed' do nothing/, 'on conflict do nothing'],
        ],
      },
      unguarded: ['drop index payments_payment_hash_live_key'],
    },
  },
  {
    number: 12,
    title: 'a balance is moved outside the transaction',
    ports: ({ db }, { took }) => ({
      db: onQuery(db, (forward) => async (statement, params) => {
        if (!SETTLES.test(statement.text)) return forward(statement, params)
        const [held] = await forward({ name: 'debit_held', text: 'select debit from payments where id = $1' }, [
          params[0],
        ])
        const rows = await forward(statement, params)
        if (rows[0]?.outcome !== 'settled') return rows
        took()
        await forward(
          {
            name: 'move_balance',
            text: `update ledger_accounts set balance = balance - $2::bigint
                   where kind = 'held' and wallet_id = (select wallet_id from payments where id = $1)`,
          },
          [params[0], held?.debit],
        )
        return rows
      }),
    }),
    sql: {
      functions: {
        postings_update_balance: [
          [
            /where id = new\.account_id and balance is not null\s+returning \* into (\w+);\s+new\.balance_after := \w+\.balance;/,
            `where id = new.account_id and balance is not null
               and not (kind = 'held' and exists (select from journal_entries e where e.id = new.entry_id and e.kind = 'settle'))
               returning * into $1;
             new.balance_after := coalesce($1.balance, (select balance + new.amount from ledger_accounts where id = new.account_id));`,
          ],
        ],
      },
      unguarded: ['drop trigger ledger_accounts_immutable on ledger_accounts'],
    },
  },
  {
    number: 13,
    title: 'a credit for each event',
    sql: {
      functions: {
        book_incoming_payment: [
          [/if exists \(select from incoming_payments where [^)]*\) then/, 'if false then'],
          [/elsif \w+\.settled_at is not null then/, 'elsif false then'],
          [/'receive:' \|\| (\w+)/, `'receive:' || $1 || new_id`],
        ],
      },
      unguarded: [
        'drop index incoming_payments_payment_hash_key',
        'drop index incoming_payments_invoice_id_key',
        'drop trigger invoices_settled_immutable on invoices',
      ],
    },
  },
]

/** The rate as a `real` column would hold the price of one millisatoshi. */
function asReal({ numerator, denominator }: Rate): Rate {
  const unit = 2 ** 60
  const price = Math.fround(Number(denominator) / Number(numerator))
  return { numerator: BigInt(unit), denominator: BigInt(price * unit) }
}
