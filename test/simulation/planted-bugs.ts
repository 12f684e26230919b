/** A bug that is built into the simulation, to prove that it would be found. */
export interface PlantedBug {
  readonly number: number
  readonly title: string
  /** Exact texts of the sources, exchanged when the simulation is built. */
  readonly patches: readonly { readonly file: string; readonly from: string; readonly to: string }[]
  readonly sql?: {
    /** Exact texts of SQL functions, exchanged in a database of its own. */
    readonly functions: readonly {
      readonly name: string
      readonly changes: readonly (readonly [from: string, to: string])[]
    }[]
    /** Takes away the guards that would stop this bug by themselves: which they are, says how deep it would have to go. */
    readonly unguarded: readonly string[]
  }
}

export const PLANTED: readonly PlantedBug[] = [
  {
    number: 2,
    title: 'refund on time-out',
    patches: [
      {
        file: 'lib/payments/settle.ts',
        from: `    case 'unknown':
    case 'not-found':
      return undefined`,
        to: `    case 'unknown':
      return giveUp(ports, payment, 'late')
    case 'not-found':
      return undefined`,
      },
    ],
  },
  {
    number: 3,
    title: 'send before `sending` is committed',
    patches: [
      {
        file: 'lib/payments/send.ts',
        from: `  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
  ports.marked.add(payment.id)
  const outcome = await ports.node.send(toOutgoing(payment))
`,
        to: `  const outcome = await ports.node.send(toOutgoing(payment))
  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
  ports.marked.add(payment.id)
`,
      },
    ],
  },
  {
    number: 6,
    title: 'fee above the hold',
    patches: [
      {
        file: 'lib/payments/settle.ts',
        from: `const chargedMsats = feeMsats > feeLimitMsats ? feeLimitMsats : feeMsats`,
        to: `const chargedMsats = feeMsats > feeLimitMsats ? feeMsats : feeMsats`,
      },
    ],
  },
  {
    number: 8,
    title: 'a hash alone says which invoice it is',
    patches: [
      {
        file: 'lib/payments/idempotency.ts',
        from: `  if (row.invoice !== intent.invoice) throw badInput('Another invoice with this payment hash was paid before.')
  if (row.amount_msats !== intent.amountMsats) throw badInput('You have paid this before, with another amount.')
`,
        to: '',
      },
    ],
  },
  {
    number: 9,
    title: 'a retry that includes the call of the node',
    patches: [
      {
        file: 'lib/payments/send.ts',
        from: `  const outcome = await ports.node.send(toOutgoing(payment))
  const ended = await finalize(ports, payment, outcome)
`,
        to: `  const pay = async (sendId: bigint): Promise<Ended | undefined> =>
    finalize(ports, payment, await ports.node.send({ ...toOutgoing(payment), sendId }))
  const ended = await pay(payment.id).catch(() => pay(payment.id + 1_000_000n))
`,
      },
    ],
  },
  {
    number: 10,
    title: 'NOT_FOUND is failed at once',
    patches: [
      {
        file: 'lib/payments/send.ts',
        from: `if (isUnfound && (await isGoneForGood(ports, payment, outcome.saidBy))) return giveUpUnfound(ports, payment)`,
        to: `if (isUnfound) return finalize(ports, payment, { kind: 'failed', failure: 'never-sent' })`,
      },
    ],
  },
  {
    number: 14,
    title: 'conversion in floating point, the price read from a `real` column',
    patches: [
      {
        file: 'lib/money/ledger-units.ts',
        from: `  return divide(msats * rate.denominator, rate.numerator, rounding)`,
        to: `  const unitsForOne = Math.fround(Number(rate.denominator) / Number(rate.numerator))
  const units = Number(msats) * unitsForOne
  return BigInt(rounding === 'up' ? Math.ceil(units) : Math.floor(units))`,
      },
    ],
  },
  {
    number: 15,
    title: 'the reconciler ignores payments that are only held',
    patches: [
      {
        file: 'lib/payments/send.ts',
        from: `  return rows.map((row) => ({ payment: toOpenPayment(row), state: row.state, stale: row.stale }))`,
        to: `  return rows
    .filter((row) => row.state === 'sending')
    .map((row) => ({ payment: toOpenPayment(row), state: row.state, stale: row.stale }))`,
      },
    ],
  },
  {
    number: 16,
    title: 'no check of the owner',
    patches: [
      {
        file: 'lib/payments/idempotency.ts',
        from: `if (row.user_id !== intent.username) {`,
        to: `if (row.user_id === '') {`,
      },
    ],
  },
  {
    number: 1,
    title: 'a balance is read and then written',
    patches: [],
    sql: {
      functions: [
        {
          name: 'post_entry',
          changes: [
            [
              '  perform 1 from ledger_accounts where id = any (account_ids) and balance is not null order by id for update;\n',
              '',
            ],
          ],
        },
        {
          name: 'postings_update_balance',
          changes: [
            [
              `  update ledger_accounts set balance = balance + new.amount where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;`,
              `  select * into moved from ledger_accounts where id = new.account_id;
  if moved.balance is not null then
    update ledger_accounts set balance = moved.balance + new.amount where id = new.account_id;
  end if;
  new.balance_after := moved.balance + new.amount;`,
            ],
          ],
        },
      ],
      unguarded: [],
    },
  },
  {
    number: 4,
    title: 'settle without a condition on the state',
    patches: [],
    sql: {
      functions: [{ name: 'settle_payment', changes: [[`if payment.state = 'failed' then`, `if false then`]] }],
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
    patches: [],
    sql: {
      functions: [
        {
          name: 'fail_payment',
          changes: [
            [`if payment.state = 'failed' then`, `if false then`],
            [`'release:' || failed_id,`, `'release:' || failed_id || ':' || gen_random_uuid(),`],
          ],
        },
      ],
      unguarded: [
        'drop trigger payments_settled_immutable on payments',
        'drop index journal_entries_payment_id_kind_key',
        'drop trigger entries_match_payment on journal_entries',
      ],
    },
  },
  {
    number: 7,
    title: 'the invoice’s text alone says whether it was paid',
    patches: [
      {
        file: 'lib/payments/idempotency.ts',
        from: `where p.payment_hash = $1 and p.state`,
        to: `where coalesce(p.invoice, p.payment_hash) = $1 and p.state`,
      },
      {
        file: 'lib/payments/idempotency.ts',
        from: `(EARLIER, [paymentHash,`,
        to: `(EARLIER, [intent.invoice ?? paymentHash,`,
      },
    ],
    sql: {
      functions: [
        {
          name: 'hold_payment',
          changes: [
            [
              `where payments.payment_hash = paid_hash and state <> 'failed' or`,
              `where payments.invoice = paid_invoice and state <> 'failed' or`,
            ],
            [`on conflict (payment_hash) where state <> 'failed' do nothing`, `on conflict do nothing`],
          ],
        },
        {
          name: 'settle_internal_keysend',
          changes: [[`on conflict (payment_hash) where state <> 'failed' do nothing`, `on conflict do nothing`]],
        },
      ],
      unguarded: ['drop index payments_payment_hash_live_key'],
    },
  },
  {
    number: 11,
    title: 'a lock inside the process only',
    patches: [
      {
        file: 'lib/payments/methods/lightning.ts',
        from: `      start: (wallet) =>
        ports.paymentWorker.begin(() => hold(ports, intent, { wallet, account, debit: debitOf(wallet) })),
`,
        to: `      start: async (wallet) => {
        const key = ports.paymentWorker.name + intent.paymentHash
        const before = inProcess.get(key) ?? Promise.resolve()
        const mine = before.then(async () =>
          (await findExistingPayment(ports.db, intent)) === undefined
            ? ports.paymentWorker.begin(() => hold(ports, intent, { wallet, account, debit: debitOf(wallet) }))
            : ('repeated' as const),
        )
        inProcess.set(key, mine.catch(() => undefined))
        return mine
      },
`,
      },
      {
        file: 'lib/payments/methods/lightning.ts',
        from: `type HoldOutcome =`,
        to: `const inProcess = new Map<string, Promise<unknown>>()
type HoldOutcome =`,
      },
    ],
    sql: {
      functions: [
        {
          name: 'hold_payment',
          changes: [
            [`  perform 1 from users where id = payer for no key update;\n`, ''],
            [`where payments.payment_hash = paid_hash and state <> 'failed' or`, `where`],
            [`on conflict (payment_hash) where state <> 'failed' do nothing`, `on conflict do nothing`],
          ],
        },
        {
          name: 'settle_internal_keysend',
          changes: [[`on conflict (payment_hash) where state <> 'failed' do nothing`, `on conflict do nothing`]],
        },
      ],
      unguarded: ['drop index payments_payment_hash_live_key'],
    },
  },
  {
    number: 12,
    title: 'a balance is moved outside the transaction',
    patches: [
      {
        file: 'lib/payments/settle.ts',
        from: `  if (row?.outcome === 'failed') return`,
        to: `  if (row?.outcome === 'settled')
    await ports.db.query(
      {
        name: 'move_balance',
        text: \`update ledger_accounts set balance = balance - $2::bigint
               where kind = 'held' and wallet_id = (select wallet_id from payments where id = $1)\`,
      },
      [payment.id, payment.debit],
    )
  if (row?.outcome === 'failed') return`,
      },
    ],
    sql: {
      functions: [
        {
          name: 'postings_update_balance',
          changes: [
            [
              `where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;`,
              `where id = new.account_id and balance is not null
      and not (kind = 'held' and exists (select from journal_entries e where e.id = new.entry_id and e.kind = 'settle'))
    returning * into moved;
  new.balance_after := coalesce(moved.balance, (select balance + new.amount from ledger_accounts where id = new.account_id));`,
            ],
          ],
        },
      ],
      unguarded: ['drop trigger ledger_accounts_immutable on ledger_accounts'],
    },
  },
  {
    number: 13,
    title: 'a credit for each event',
    patches: [],
    sql: {
      functions: [
        {
          name: 'book_incoming_payment',
          changes: [
            [
              `if exists (select from incoming_payments where incoming_payments.payment_hash = paid_hash) then`,
              `if false then`,
            ],
            [`elsif bill.settled_at is not null then`, `elsif false then`],
            [`'receive:' || paid_hash`, `'receive:' || paid_hash || new_id`],
          ],
        },
      ],
      unguarded: [
        'drop index incoming_payments_payment_hash_key',
        'drop index incoming_payments_invoice_id_key',
        'drop trigger invoices_settled_immutable on invoices',
      ],
    },
  },
]
