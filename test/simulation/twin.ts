import { createHash } from 'node:crypto'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import type { KeysendMetadata } from '@/lib/payments/types'
import type { AccountRow, Books, EntryRow, InvoiceRow, PaymentRow, PostingRow, ReceiptRow, WalletRow } from './rows'

// The payment tables and their SQL functions once more, on plain maps: for the order of steps only. That it says what SQL
// says is shown by differential.sim.test.ts, and what happens inside a statement is tried on a real server.

interface Payment extends PaymentRow {
  readonly rate_snapshot_id: string
  readonly payee_key: string | null
  readonly metadata: KeysendMetadata | null
  readonly created_at: number
  readonly lease_expires_at: number | null
  readonly not_found_at: number | null
  readonly not_found_by: string | null
  readonly notify_on_completion: boolean
}
interface Invoice extends InvoiceRow {
  readonly description: string | null
  readonly expires_at: number | null
}
interface Entry extends EntryRow {
  readonly content: string
}

/** What a statement did to the state of some payment or invoice, for the table of coverage. */
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
  readonly transition: Transition | undefined
  /** Texts for the channel `payment_ended`. */
  readonly told: readonly string[]
  /** Takes everything back, as a transaction that was not committed. */
  undo(): void
}

export interface Twin {
  /** By the database's clock. */
  now: () => number
  /** Counts entries and changes of state: equal numbers mean that no money and no payment moved. */
  readonly version: () => number
  /** One statement, as a transaction. Throws what the database would. */
  execute(name: string, params: readonly unknown[]): Effect
  books(): Books
  payment(id: bigint): Payment | undefined
  addPerson(username: string, balances: Readonly<Record<string, bigint>>): void
  /** The rows of a person who is in another database already. */
  adopt(rows: { readonly wallets: readonly WalletRow[]; readonly accounts: readonly AccountRow[] }): void
  addInvoice(invoice: {
    hash: string
    preimage: string
    text: string
    username: string
    walletId: bigint
    amountMsats: bigint | null
    expiresAt: number
  }): void
  /** The id of the next payment, where another database has drawn it. */
  nextPaymentId: bigint
  /** As if so much time had passed since every claim, and twice as much since a node first did not know of a payment. */
  age(ms: number): void
  /** The names of all statements that it knows. */
  readonly statementNames: readonly string[]
}

const LEASE_MS = 6_000
const MOST_CLAIMED = 20

export function sqlError(state: string, message: string, constraint?: string): Error {
  return Object.assign(new Error(message), { code: state, severity: 'ERROR', constraint })
}

export function makeTwin(startMs: number): Twin {
  const wallets = new Map<bigint, WalletRow>()
  const accounts = new Map<bigint, AccountRow>()
  const entries = new Map<bigint, Entry>()
  const entryByKey = new Map<string, bigint>()
  const postings: PostingRow[] = []
  const payments = new Map<bigint, Payment>()
  const invoices = new Map<bigint, Invoice>()
  const receipts = new Map<bigint, ReceiptRow>()
  const snapshots = new Map<string, unknown>()
  let nextAccount = 1n
  let nextWallet = 1n
  let nextInvoice = 1n
  let nextReceipt = 1n
  let version = 0

  let undoing: (() => void)[] = []
  let transition: Transition | undefined
  let told: string[] = []

  function put<Row extends { readonly id: bigint }>(table: Map<bigint, Row>, row: Row): void {
    const before = table.get(row.id)
    table.set(row.id, row)
    undoing.push(() => (before === undefined ? table.delete(row.id) : table.set(row.id, before)))
  }

  for (const code of CURRENCY_CODES)
    for (const kind of ['lightning', 'fx', 'fees', 'rounding', 'faucet']) openAccount({ kind, currency_code: code })
  openAccount({ kind: 'suspense', currency_code: 'SAT' })

  function openAccount(row: Partial<AccountRow> & Pick<AccountRow, 'kind' | 'currency_code'>): bigint {
    const id = nextAccount++
    put(accounts, { wallet_id: null, node_key: null, balance: null, ...row, id })
    return id
  }

  const accountOf = (walletId: bigint, kind: 'available' | 'held'): AccountRow => {
    for (const account of accounts.values()) if (account.wallet_id === walletId && account.kind === kind) return account
    throw new Error(`no ${kind} account of wallet ${walletId}`)
  }
  const invoiceOf = (hash: string): Invoice | undefined =>
    [...invoices.values()].find((each) => each.payment_hash === hash)
  const live = (hash: string): Payment | undefined =>
    [...payments.values()].find((each) => each.payment_hash === hash && each.state !== 'failed')

  /** Writes the change of a payment under the rules of its triggers. */
  function change(payment: Payment, to: Partial<Payment>): Payment {
    const next = { ...payment, ...to }
    if (payment.state === 'succeeded' || payment.state === 'failed')
      throw sqlError('PY001', 'a settled row never changes')
    const arrow = `${payment.state} ${next.state}`
    if (
      payment.state !== next.state &&
      !['held sending', 'held failed', 'sending succeeded', 'sending failed'].includes(arrow)
    )
      throw sqlError('PY002', `a payment does not go from ${arrow}`)
    if (next.debit > payment.debit || (next.debit < payment.debit && next.state !== 'succeeded'))
      throw sqlError('PY006', 'the terms of payments never change')
    put(payments, next)
    if (next.state !== payment.state) version += 1
    return next
  }

  function post(
    kind: string,
    key: string,
    ids: readonly bigint[],
    amounts: readonly bigint[],
    paymentId: bigint | null = null,
    receiptId: bigint | null = null,
  ): { entryId: bigint; replayed: boolean } {
    const lines = ids
      .map((accountId, index) => ({ accountId, amount: amounts[index] ?? 0n }))
      .sort((a, b) => compare(a.accountId, b.accountId) || compare(a.amount, b.amount))
    const content = lines.map(({ accountId, amount }) => `${accountId}:${amount}`).join()
    const known = entries.get(entryByKey.get(key) ?? -1n)
    if (known !== undefined) {
      if (
        known.content !== content ||
        known.kind !== kind ||
        known.payment_id !== paymentId ||
        known.incoming_payment_id !== receiptId
      )
        throw sqlError('LG002', `the key of entry ${known.id} was used for other postings`)
      return { entryId: known.id, replayed: true }
    }
    const id = BigInt(entries.size + 1)
    if (paymentId !== null && [...entries.values()].some((each) => each.payment_id === paymentId && each.kind === kind))
      throw sqlError('23505', 'a payment has each step once', 'journal_entries_payment_id_kind_key')
    put(entries, { id, kind, idempotency_key: key, payment_id: paymentId, incoming_payment_id: receiptId, content })
    entryByKey.set(key, id)
    undoing.push(() => entryByKey.delete(key))
    version += 1
    const sums = new Map<string, bigint>()
    for (const { accountId, amount } of lines) {
      const account = accounts.get(accountId)
      if (account === undefined) throw sqlError('LG006', `entry ${key} names an account that does not exist`)
      if (amount === 0n) throw sqlError('23514', 'a posting of nothing', 'postings_amount_not_zero')
      let balanceAfter: bigint | null = null
      if (account.balance !== null) {
        balanceAfter = account.balance + amount
        if (balanceAfter < 0n && account.kind !== 'node')
          throw sqlError('23514', 'a balance below zero', 'ledger_accounts_balance_not_negative')
        put(accounts, { ...account, balance: balanceAfter })
      }
      if (account.kind === 'held' && payments.get(paymentId ?? -1n)?.wallet_id !== account.wallet_id)
        throw sqlError('LG007', 'what is held is held for a payment from that wallet')
      postings.push({
        id: BigInt(postings.length + 1),
        entry_id: id,
        account_id: accountId,
        currency_code: account.currency_code,
        amount,
        balance_after: balanceAfter,
      })
      undoing.push(() => postings.pop())
      sums.set(account.currency_code, (sums.get(account.currency_code) ?? 0n) + amount)
    }
    if (lines.length === 0 || [...sums.values()].some((sum) => sum !== 0n))
      throw sqlError('LG001', `the postings of entry ${id} do not sum to zero`)
    return { entryId: id, replayed: false }
  }

  function insertPayment(
    row: Omit<Payment, 'id' | 'created_at' | 'not_found_at' | 'not_found_by' | 'notify_on_completion' | 'failure'>,
  ): bigint {
    const id = twin.nextPaymentId++
    if (live(row.payment_hash) !== undefined)
      throw sqlError('23505', 'the hash is in use', 'payments_payment_hash_live_key')
    const unsaid = { not_found_at: null, not_found_by: null, notify_on_completion: false, failure: null }
    put(payments, { ...row, ...unsaid, id, created_at: twin.now() })
    return id
  }

  function ended(payment: Payment): void {
    if (payment.notify_on_completion) told.push(String(payment.id))
  }

  const open = (payment: Payment): boolean => payment.state === 'held' || payment.state === 'sending'
  const openColumns = (payment: Payment): Record<string, unknown> => ({
    id: payment.id,
    payment_hash: payment.payment_hash,
    invoice: payment.invoice,
    currency_code: wallets.get(payment.wallet_id)?.currency_code,
    node_key: payment.node_key,
    payee_key: payment.payee_key,
    amount_msats: payment.amount_msats,
    fee_limit_msats: payment.fee_limit_msats,
    debit: payment.debit,
    rate_snapshot_id: payment.rate_snapshot_id,
    keysend_preimage: payment.keysend_preimage,
    metadata: payment.metadata,
    // Nobody has quotes here.
    vasp_fee: null,
  })

  type Answer = Record<string, unknown>[]
  type Run = (p: readonly never[]) => Answer
  const statement =
    <Params extends readonly unknown[]>(run: (params: Params) => Answer): Run =>
    (params) =>
      run(params as unknown as Params)

  const neverSent = (id: bigint): Answer =>
    statements.fail_payment?.([id, 'never-sent'] as readonly unknown[] as readonly never[]) ?? []

  const statements: Readonly<Record<string, Run>> = {
    // They are all open from the start.
    open_house_accounts: statement(() => []),
    house_accounts: statement(() =>
      [...accounts.values()]
        .filter((each) => each.wallet_id === null && each.node_key === null)
        .map(({ id, kind, currency_code }) => ({ id, kind, currency_code })),
    ),
    open_node_accounts: statement<[string[]]>(([keys]) => {
      for (const key of keys)
        if (![...accounts.values()].some((each) => each.node_key === key))
          openAccount({ kind: 'node', currency_code: 'SAT', balance: 0n, node_key: key })
      return []
    }),
    node_accounts: statement(() =>
      [...accounts.values()].filter((each) => each.node_key !== null).map(({ id, node_key }) => ({ id, node_key })),
    ),
    insert_rate_snapshot: statement<[string, string]>(([id, text]) => {
      if (!snapshots.has(id)) snapshots.set(id, JSON.parse(text))
      return []
    }),
    read_rate_snapshot: statement<[string]>(([id]) => (snapshots.has(id) ? [{ rates: snapshots.get(id) }] : [])),
    wallet_accounts: statement<[string]>(([username]) =>
      [...wallets.values()]
        .filter((each) => each.user_id === username)
        .sort((a, b) => a.position - b.position)
        .map((wallet) => ({
          wallet_id: wallet.id,
          currency_code: wallet.currency_code,
          account_id: accountOf(wallet.id, 'available').id,
          available: accountOf(wallet.id, 'available').balance,
          held: accountOf(wallet.id, 'held').balance,
        })),
    ),
    post_entry: statement<[string, string, bigint[], bigint[]]>(([kind, key, ids, amounts]) => {
      const { entryId, replayed } = post(kind, key, ids, amounts)
      return [{ entry_id: entryId, replayed }]
    }),
    read_invoice_status: statement<[string, string, string]>(([hash, text, username]) => {
      const bill = invoiceOf(hash)
      if (bill === undefined || bill.invoice !== text) return []
      const own = [...payments.values()].find(
        (each) => each.payment_hash === hash && each.user_id === username && each.state === 'succeeded',
      )
      return [
        {
          account_id: accountOf(bill.wallet_id, 'available').id,
          currency_code: wallets.get(bill.wallet_id)?.currency_code,
          asked_msats: bill.amount_msats,
          fixed_credit: null,
          vasp_fee_msats: 0n,
          fixed_snapshot_id: null,
          settled: bill.settled,
          expired: bill.expires_at === null ? null : bill.expires_at <= twin.now(),
          preimage: own?.preimage ?? null,
          amount_msats: own?.amount_msats ?? null,
          debit: own?.debit ?? null,
          rate_snapshot_id: own?.rate_snapshot_id ?? null,
          paid_code: own === undefined ? null : wallets.get(own.wallet_id)?.currency_code,
        },
      ]
    }),
    find_existing_payment: statement<[string, string, string | null]>(([hash, username, key]) =>
      [...payments.values()]
        .filter((each) => each.state !== 'failed')
        .filter(
          (each) =>
            each.payment_hash === hash || (key !== null && each.user_id === username && each.idempotency_key === key),
        )
        .sort((a, b) => compare(a.id, b.id))
        .slice(0, 1)
        .map((each) => ({
          id: each.id,
          payment_hash: each.payment_hash,
          user_id: each.user_id,
          invoice: each.invoice,
          amount_msats: each.amount_msats,
          metadata: each.metadata,
          state: each.state,
          preimage: each.preimage,
          debit: each.debit,
          rate_snapshot_id: each.rate_snapshot_id,
          currency_code: wallets.get(each.wallet_id)?.currency_code,
        })),
    ),
    hold_payment: statement<HoldParams>(
      ([
        hash,
        invoice,
        payer,
        ,
        walletId,
        ,
        nodeKey,
        payeeKey,
        msats,
        feeLimit,
        debit,
        snapshot,
        ,
        ,
        endsAt,
        preimage,
        metadata,
        key,
        most,
        worker,
      ]) => {
        const known = [...payments.values()]
          .filter((each) => each.state !== 'failed')
          .filter(
            (each) =>
              each.payment_hash === hash || (key !== null && each.user_id === payer && each.idempotency_key === key),
          )
          .sort((a, b) => compare(a.id, b.id))[0]
        if (known !== undefined) return [{ outcome: 'known', payment_id: known.id }]
        if (invoiceOf(hash) !== undefined) return [{ outcome: 'wrapped', payment_id: null }]
        if (endsAt !== null && endsAt * 1000 <= twin.now()) return [{ outcome: 'expired', payment_id: null }]
        if ([...payments.values()].filter((each) => each.user_id === payer && open(each)).length >= most)
          return [{ outcome: 'many', payment_id: null }]
        const id = insertPayment({
          payment_hash: hash,
          invoice,
          user_id: payer,
          wallet_id: walletId,
          node_key: nodeKey,
          payee_key: payeeKey,
          amount_msats: msats,
          network_fee_msats: 0n,
          fee_limit_msats: feeLimit,
          debit,
          rate_snapshot_id: snapshot,
          state: 'held',
          preimage: null,
          keysend_preimage: preimage,
          idempotency_key: key,
          metadata: metadata === null ? null : (JSON.parse(metadata) as KeysendMetadata),
          lease_owner: worker,
          lease_expires_at: twin.now() + LEASE_MS,
        })
        post(
          'hold',
          `hold:${id}`,
          [accountOf(walletId, 'available').id, accountOf(walletId, 'held').id],
          [-debit, debit],
          id,
        )
        transition = 'hold'
        return [{ outcome: 'held', payment_id: id }]
      },
    ),
    mark_sending: statement<[bigint, string]>(([id, worker]) => {
      const payment = payments.get(id)
      if (payment?.state !== 'held' || payment.lease_owner !== worker) return []
      change(payment, { state: 'sending', lease_expires_at: twin.now() + LEASE_MS })
      transition = 'mark sending'
      return [{ id }]
    }),
    retry_later: statement<[bigint, string, boolean]>(([id, worker, isUnfound]) => {
      const payment = payments.get(id)
      if (payment?.state !== 'sending') return []
      const pause = Math.min(5_000, Math.max(1_000, (twin.now() - payment.created_at) / 10))
      const rest = payment.lease_owner === worker ? { lease_owner: 'nobody', lease_expires_at: twin.now() + pause } : {}
      change(payment, { ...rest, ...(isUnfound ? {} : { not_found_at: null, not_found_by: null }) })
      return []
    }),
    note_not_found: statement<[bigint, string]>(([id, saidBy]) => {
      const payment = payments.get(id)
      if (payment?.state !== 'sending') return []
      const since = payment.not_found_by === saidBy ? (payment.not_found_at ?? twin.now()) : twin.now()
      change(payment, { not_found_at: since, not_found_by: saidBy })
      return [{ gone: since <= twin.now() - 60_000 }]
    }),
    give_up_unfound: statement<[bigint]>(([id]) => {
      const payment = payments.get(id)
      if (payment?.state !== 'sending' || payment.not_found_at === null) return []
      return payment.not_found_at <= twin.now() - 60_000 ? neverSent(id) : []
    }),
    claim_payments: statement<[string, number, string[]]>(([worker, waitSeconds, busyPeers]) =>
      [...payments.values()]
        .filter(
          (each) =>
            open(each) &&
            each.node_key !== null &&
            !busyPeers.includes(each.node_key) &&
            (each.lease_expires_at ?? Infinity) < twin.now(),
        )
        .sort((a, b) => (a.lease_expires_at ?? 0) - (b.lease_expires_at ?? 0))
        .slice(0, MOST_CLAIMED)
        .map((each) => {
          const mine = change(each, { lease_owner: worker, lease_expires_at: twin.now() + LEASE_MS })
          return { ...openColumns(mine), state: mine.state, stale: mine.created_at < twin.now() - waitSeconds * 1_000 }
        }),
    ),
    // Nobody decides anything here.
    decided_payments: statement(() => []),
    renew_leases: statement<[bigint[], string, bigint[]]>(([ids, worker, sends]) => {
      for (const id of ids) {
        const payment = payments.get(id)
        if (payment === undefined || !open(payment)) continue
        const mine = payment.lease_owner === worker
        if (sends.includes(id) && payment.not_found_at !== null)
          change(payment, {
            not_found_at: null,
            not_found_by: null,
            ...(mine ? { lease_expires_at: twin.now() + LEASE_MS } : {}),
          })
        else if (mine && (payment.lease_expires_at ?? 0) < twin.now() + 3_000)
          change(payment, { lease_expires_at: twin.now() + LEASE_MS })
      }
      return []
    }),
    settle_payment: statement<[bigint, string, bigint, bigint, bigint[], bigint[]]>(
      ([id, preimage, fee, debit, ids, amounts]) => {
        const payment = payments.get(id)
        if (payment === undefined) throw new Error(`no payment ${id}`)
        if (payment.state === 'failed') return [{ outcome: 'failed' }]
        if (payment.state === 'succeeded') return [{ outcome: 'already' }]
        const back = payment.debit - debit
        change(payment, {
          state: 'succeeded',
          preimage,
          network_fee_msats: fee,
          debit,
          lease_owner: null,
          lease_expires_at: null,
        })
        const returned = back > 0n ? [{ id: accountOf(payment.wallet_id, 'available').id, amount: back }] : []
        post(
          'settle',
          `settle:${id}`,
          [...ids, accountOf(payment.wallet_id, 'held').id, ...returned.map((each) => each.id)],
          [...amounts, -payment.debit, ...returned.map(({ amount }) => amount)],
          id,
        )
        ended(payment)
        transition = 'settle'
        return [{ outcome: 'settled' }]
      },
    ),
    fail_payment: statement<[bigint, string]>(([id, failure]) => {
      const payment = payments.get(id)
      if (payment === undefined) throw new Error(`no payment ${id}`)
      if (payment.state === 'failed') return [{ outcome: 'already' }]
      if (payment.state === 'succeeded') return [{ outcome: 'succeeded' }]
      change(payment, { state: 'failed', failure, lease_owner: null, lease_expires_at: null })
      post(
        'release',
        `release:${id}`,
        [accountOf(payment.wallet_id, 'available').id, accountOf(payment.wallet_id, 'held').id],
        [payment.debit, -payment.debit],
        id,
      )
      ended(payment)
      transition = payment.state === 'held' ? 'give up' : 'release'
      return [{ outcome: 'failed' }]
    }),
    give_up_unsent: statement<[bigint, string]>(([id, worker]) => {
      const payment = payments.get(id)
      if (payment?.state !== 'held' || payment.lease_owner !== worker) return []
      return neverSent(id)
    }),
    book_late_success: statement<[bigint, bigint[], bigint[]]>(([id, ids, amounts]) => {
      const { replayed } = post('loss', `loss:${id}`, ids, amounts, id)
      if (!replayed) transition = 'late loss'
      return [{ post_entry: null }]
    }),
    ended_payments: statement<[bigint[]]>(([ids]) =>
      [...payments.values()]
        .filter((each) => ids.includes(each.id) && !open(each))
        .map((each) => ({
          id: each.id,
          state: each.state,
          preimage: each.preimage,
          debit: each.debit,
          rate_snapshot_id: each.rate_snapshot_id,
          failure: each.failure,
          currency_code: wallets.get(each.wallet_id)?.currency_code,
        })),
    ),
    await_payment: statement<[bigint]>(([id]) => {
      const payment = payments.get(id)
      if (payment !== undefined && open(payment) && !payment.notify_on_completion)
        change(payment, { notify_on_completion: true })
      return []
    }),
    payment_by_id: statement<[bigint]>(([id]) => {
      const payment = payments.get(id)
      return payment === undefined || payment.node_key === null || payment.state === 'held'
        ? []
        : [openColumns(payment)]
    }),
    settle_internal_payment: statement<
      [string, string, string, string | null, bigint, bigint | null, bigint, bigint, string, bigint[], bigint[]]
    >(([hash, text, payer, , walletId, , msats, debit, snapshot, ids, amounts]) => {
      const bill = invoiceOf(hash)
      const said = (outcome: string, preimage: string | null = null) => [{ outcome, preimage }]
      if (bill === undefined || bill.invoice !== text) return said('unknown')
      if (bill.settled) {
        const earlier = [...payments.values()].find((each) => each.payment_hash === hash && each.state === 'succeeded')
        if (earlier?.user_id !== payer) return said('taken')
        return earlier.amount_msats === msats ? said('repeated', earlier.preimage) : said('amount')
      }
      if (bill.expires_at !== null && bill.expires_at <= twin.now()) return said('expired')
      if (bill.amount_msats !== null && bill.amount_msats !== msats) return said('amount')
      const id = insertPayment({
        payment_hash: hash,
        invoice: text,
        user_id: payer,
        wallet_id: walletId,
        node_key: null,
        payee_key: null,
        amount_msats: msats,
        network_fee_msats: 0n,
        fee_limit_msats: 0n,
        debit,
        rate_snapshot_id: snapshot,
        state: 'succeeded',
        preimage: bill.preimage,
        keysend_preimage: null,
        idempotency_key: null,
        metadata: null,
        lease_owner: null,
        lease_expires_at: null,
      })
      if (ids.length > 0) post('payment', `payment:${id}`, ids, amounts, id)
      // A person's account may be of either kind; the first of the wallet that the lines name is meant.
      const credited = amounts[ids.findIndex((each) => accounts.get(each)?.wallet_id === bill.wallet_id)] ?? null
      put(invoices, { ...bill, settled: true, received_msats: msats, credited })
      transition = 'pay own'
      return said('paid', bill.preimage)
    }),
    settle_internal_keysend: statement<KeysendParams>(
      ([
        preimage,
        payer,
        ,
        fromWallet,
        payee,
        toWallet,
        msats,
        debit,
        credit,
        snapshot,
        memo,
        metadata,
        key,
        ids,
        amounts,
      ]) => {
        const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
        const used = [...payments.values()].some(
          (each) =>
            each.state !== 'failed' &&
            (each.payment_hash === hash || (key !== null && each.user_id === payer && each.idempotency_key === key)),
        )
        if (used || invoiceOf(hash) !== undefined) return [{ outcome: 'taken' }]
        const shown = metadata === null ? null : (JSON.parse(metadata) as KeysendMetadata)
        put(invoices, {
          id: nextInvoice++,
          payment_hash: hash,
          preimage,
          invoice: null,
          user_id: payee,
          wallet_id: toWallet,
          amount_msats: msats,
          settled: true,
          received_msats: msats,
          credited: toWallet === fromWallet ? null : credit,
          description: memo,
          expires_at: null,
        })
        const id = insertPayment({
          payment_hash: hash,
          invoice: null,
          user_id: payer,
          wallet_id: fromWallet,
          node_key: null,
          payee_key: null,
          amount_msats: msats,
          network_fee_msats: 0n,
          fee_limit_msats: 0n,
          debit,
          rate_snapshot_id: snapshot,
          state: 'succeeded',
          preimage,
          keysend_preimage: preimage,
          idempotency_key: key,
          metadata: shown,
          lease_owner: null,
          lease_expires_at: null,
        })
        if (ids.length > 0) post('payment', `payment:${id}`, ids, amounts, id)
        transition = 'keysend own'
        return [{ outcome: 'paid' }]
      },
    ),
    invoice_to_credit: statement<[string]>(([hash]) => {
      const bill = invoiceOf(hash)
      if (bill === undefined) return []
      return [
        {
          invoice: bill.invoice,
          user_id: bill.user_id,
          wallet_id: bill.wallet_id,
          amount_msats: bill.amount_msats,
          description: bill.description,
          fixed_credit: null,
          vasp_fee_msats: 0n,
          rate_snapshot_id: null,
          currency_code: wallets.get(bill.wallet_id)?.currency_code,
          account_id: accountOf(bill.wallet_id, 'available').id,
        },
      ]
    }),
    is_incoming_payment_booked: statement<[string]>(([hash]) =>
      [...receipts.values()].some((each) => each.payment_hash === hash) ? [{ booked: 1 }] : [],
    ),
    book_incoming_payment: statement<[string, string | null, bigint, bigint, bigint[], bigint[]]>(
      ([hash, nodeKey, msats, credited, ids, amounts]) => {
        const bill = invoiceOf(hash)
        if ([...receipts.values()].some((each) => each.payment_hash === hash)) return [{ outcome: 'known' }]
        if (bill === undefined) return [{ outcome: 'unknown' }]
        if (bill.settled) return [{ outcome: 'settled' }]
        if (bill.amount_msats !== null && msats < bill.amount_msats) return [{ outcome: 'amount' }]
        const id = nextReceipt++
        put(receipts, { id, payment_hash: hash, node_key: nodeKey, amount_msats: msats, invoice_id: bill.id })
        post('receive', `receive:${hash}`, ids, amounts, null, id)
        put(invoices, { ...bill, settled: true, received_msats: msats, credited })
        transition = 'credit'
        return [{ outcome: 'credited' }]
      },
    ),
    suspend_incoming_payment: statement<[string, string | null, bigint, bigint[], bigint[]]>(
      ([hash, nodeKey, msats, ids, amounts]) => {
        if ([...receipts.values()].some((each) => each.payment_hash === hash)) return [{ booked: false }]
        const id = nextReceipt++
        put(receipts, { id, payment_hash: hash, node_key: nodeKey, amount_msats: msats, invoice_id: null })
        post('receive', `receive:${hash}`, ids, amounts, null, id)
        transition = 'suspend'
        return [{ booked: true }]
      },
    ),
  }

  const twin: Twin = {
    now: () => startMs,
    version: () => version,
    nextPaymentId: 1n,
    statementNames: Object.keys(statements),
    execute(name, params) {
      const run = statements[name]
      if (run === undefined) throw new Error(`the twin does not know the statement ${name}`)
      undoing = []
      transition = undefined
      told = []
      const nextId = twin.nextPaymentId
      const log = undoing
      const undo = (): void => {
        for (const back of log.splice(0).toReversed()) back()
        twin.nextPaymentId = nextId
        version += 1
      }
      try {
        return { rows: run(params as readonly never[]), transition, told, undo }
      } catch (error) {
        undo()
        throw error
      }
    },
    books: () => ({
      wallets: [...wallets.values()],
      accounts: [...accounts.values()],
      entries: [...entries.values()],
      postings: [...postings],
      payments: [...payments.values()],
      invoices: [...invoices.values()],
      receipts: [...receipts.values()],
    }),
    payment: (id) => payments.get(id),
    addPerson(username, balances) {
      for (const [position, [code, units]] of Object.entries(balances).entries()) {
        const id = nextWallet++
        put(wallets, { id, user_id: username, currency_code: code, position })
        const available = openAccount({ kind: 'available', currency_code: code, wallet_id: id, balance: 0n })
        openAccount({ kind: 'held', currency_code: code, wallet_id: id, balance: 0n })
        const faucet = [...accounts.values()].find((each) => each.kind === 'faucet' && each.currency_code === code)
        if (units > 0n) post('opening', `opening:${username}:${code}`, [faucet?.id ?? 0n, available], [-units, units])
      }
    },
    adopt({ wallets: theirs, accounts: withThem }) {
      for (const row of theirs) put(wallets, row)
      for (const row of withThem) put(accounts, row)
    },
    addInvoice({ hash, preimage, text, username, walletId, amountMsats, expiresAt }) {
      put(invoices, {
        id: nextInvoice++,
        payment_hash: hash,
        preimage,
        invoice: text,
        user_id: username,
        wallet_id: walletId,
        amount_msats: amountMsats,
        settled: false,
        received_msats: null,
        credited: null,
        description: null,
        expires_at: expiresAt,
      })
    },
    age(ms) {
      for (const payment of payments.values()) {
        const { lease_expires_at: until, not_found_at: since } = payment
        if (until === null) continue
        put(payments, {
          ...payment,
          lease_expires_at: until - ms,
          not_found_at: since === null ? null : since - 2 * ms,
        })
      }
    },
  }
  return twin
}

type HoldParams = [
  hash: string,
  invoice: string | null,
  payer: string,
  connection: string | null,
  walletId: bigint,
  quoteId: bigint | null,
  nodeKey: string,
  payeeKey: string,
  msats: bigint,
  feeLimit: bigint,
  debit: bigint,
  snapshot: string,
  memo: string | null,
  memoHash: string | null,
  endsAt: number | null,
  preimage: string | null,
  metadata: string | null,
  key: string | null,
  most: number,
  worker: string,
]
type KeysendParams = [
  preimage: string,
  payer: string,
  connection: string | null,
  fromWallet: bigint,
  payee: string,
  toWallet: bigint,
  msats: bigint,
  debit: bigint,
  credit: bigint,
  snapshot: string,
  memo: string | null,
  metadata: string | null,
  key: string | null,
  ids: bigint[],
  amounts: bigint[],
]

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
