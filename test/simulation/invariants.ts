import { createHash } from 'node:crypto'
import type { OutgoingPayment } from '@/lib/lightning/node'
import type { SimulatedNode } from './node'
import type { Answer, Asked, Stage } from './operations'
import type { Books, PaymentRow } from './rows'

// The invariants N1 to N15 of docs/simulation.md, written only from that list, over plain rows. The server's audit is deliberately
// separate code, so that a mistake in one of them is found.

export class Breach extends Error {
  override readonly name = 'Breach'
  constructor(
    readonly invariant: string,
    detail: string,
    readonly books: Books | undefined,
  ) {
    super(`${invariant}: ${detail}`)
  }
}

/** Msats for one ledger unit, as a fraction: the sandbox's prices, written independently of `lib/money`. */
const PRICES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  SAT: [1n, 1n],
  USD: [10_000n, 1n],
  EUR: [1_000_000n, 92n],
  JPY: [1_000_000n, 154n],
}

function priceOf(code: string | undefined): readonly [bigint, bigint] {
  const price = PRICES[code ?? '']
  if (price === undefined) throw new Error(`no price of ${String(code)}`)
  return price
}

/** The cost of an amount in ledger units, rounded up. */
export function costOf(msats: bigint, code: string | undefined): bigint {
  const [numerator, denominator] = priceOf(code)
  return (msats * denominator + numerator - 1n) / numerator
}

/** The invariants that depend on the rows alone: N1 to N6, N11 and N12. */
export function checkRows(books: Books): void {
  const fail = (invariant: string, detail: string): never => {
    throw new Breach(invariant, detail, books)
  }
  const account = new Map(books.accounts.map((each) => [each.id, each]))
  const sums = new Map<string, bigint>()
  const balances = new Map<bigint, bigint>()
  const moved = new Map<string, bigint>()
  const entryKind = new Map(books.entries.map((each) => [each.id, each]))
  const posted = new Set<bigint>()
  for (const posting of books.postings) {
    const { entry_id, account_id, currency_code, amount, balance_after } = posting
    posted.add(entry_id)
    add(sums, `${entry_id} ${currency_code}`, amount)
    const balance = add(balances, account_id, amount)
    const mine = account.get(account_id)
    if (mine === undefined || mine.currency_code !== currency_code)
      fail('N1', `posting ${posting.id} is not in its account’s currency`)
    // All schedules share a peer's account; only the postings of users are complete here.
    if (mine?.wallet_id != null && balance_after !== balance)
      fail('N2', `posting ${posting.id} says ${String(balance_after)}, its account adds up to ${balance}`)
    const entry = entryKind.get(entry_id)
    if (mine?.wallet_id == null || entry === undefined) continue
    const { payment_id: paymentId, incoming_payment_id: receiptId } = entry
    if (paymentId !== null) add(moved, `${paymentId} ${mine.wallet_id} ${mine.kind}`, amount)
    if (paymentId !== null || receiptId !== null)
      add(moved, `${paymentId === null ? `receipt ${receiptId}` : `payment ${paymentId}`} ${mine.wallet_id}`, amount)
  }
  for (const [key, sum] of sums) if (sum !== 0n) fail('N1', `entry ${key} sums to ${sum}`)
  for (const { id } of books.entries) if (!posted.has(id)) fail('N1', `entry ${id} is empty`)
  const openHolds = new Map<bigint, bigint>()
  for (const payment of books.payments) if (isOpen(payment)) add(openHolds, payment.wallet_id, payment.debit)
  for (const each of books.accounts) {
    if (each.wallet_id === null) continue
    const sum = balances.get(each.id) ?? 0n
    if (each.balance !== sum)
      fail('N2', `account ${each.id} (${each.kind}) says ${String(each.balance)}, its postings ${sum}`)
    if (sum < 0n) fail('N2', `account ${each.id} (${each.kind}) is at ${sum}`)
    if (each.kind === 'held' && sum !== (openHolds.get(each.wallet_id) ?? 0n))
      fail('N3', `wallet ${each.wallet_id} holds ${sum}, its open payments ${openHolds.get(each.wallet_id) ?? 0n}`)
  }
  checkPayments(books, moved, fail)
  checkInvoices(books, moved, fail)
}

type Fail = (invariant: string, detail: string) => never

function checkPayments(books: Books, moved: ReadonlyMap<string, bigint>, fail: Fail): void {
  const settledHashes = new Set<string>()
  const code = new Map(books.wallets.map((each) => [each.id, each.currency_code]))
  const steps = new Map<bigint, string[]>()
  for (const { kind, payment_id } of books.entries)
    if (payment_id !== null) steps.set(payment_id, [...(steps.get(payment_id) ?? []), kind])
  const ownInvoice = new Map(books.invoices.map((each) => [each.payment_hash, each]))
  for (const payment of books.payments) {
    const { id, state, debit, wallet_id: walletId } = payment
    const done = (steps.get(id) ?? []).toSorted().join(' ')
    const available = moved.get(`${id} ${walletId} available`) ?? 0n
    const held = moved.get(`${id} ${walletId} held`) ?? 0n
    if (payment.node_key !== null) {
      const expected = {
        held: ['hold'],
        sending: ['hold'],
        succeeded: ['hold settle'],
        failed: ['hold release', 'hold loss release'],
      }[state]
      if (!expected.includes(done)) fail('N4', `payment ${id} is ${state}, its entries are: ${done}`)
      if (held !== (isOpen(payment) ? debit : 0n)) fail('N4', `payment ${id} is ${state} and still holds ${held}`)
      if (available !== (state === 'failed' ? 0n : -debit))
        fail('N4', `payment ${id} of ${debit} is ${state} and took ${-available}`)
    } else {
      const toItself = ownInvoice.get(payment.payment_hash)?.wallet_id === walletId
      if (available !== (toItself ? 0n : -debit)) fail('N4', `payment ${id} of ${debit} took ${-available}`)
    }
    const charged =
      isOpen(payment) || state === 'failed'
        ? payment.fee_limit_msats
        : least(payment.network_fee_msats, payment.fee_limit_msats)
    const cost = costOf(payment.amount_msats + charged, code.get(walletId))
    if (debit !== cost || debit < 1n)
      fail('N12', `payment ${id} of ${payment.amount_msats} msats and ${charged} fee is charged ${debit}, not ${cost}`)
    if (state === 'succeeded') {
      if (settledHashes.has(payment.payment_hash))
        fail('N5', `hash ${payment.payment_hash.slice(0, 8)} is settled twice`)
      settledHashes.add(payment.payment_hash)
      if (payment.preimage === null || sha256(payment.preimage) !== payment.payment_hash)
        fail('N6', `payment ${id} has no matching preimage`)
    } else if (payment.preimage !== null) fail('N6', `payment ${id} is ${state} and shows a preimage`)
  }
}

function checkInvoices(books: Books, moved: ReadonlyMap<string, bigint>, fail: Fail): void {
  const account = new Map(books.accounts.map((each) => [each.id, each]))
  for (const invoice of books.invoices) {
    const receipts = books.receipts.filter((each) => each.invoice_id === invoice.id)
    const payments = books.payments.filter(
      (each) => each.node_key === null && each.payment_hash === invoice.payment_hash && each.state === 'succeeded',
    )
    const times = receipts.length + payments.length
    if (times !== (invoice.settled ? 1 : 0))
      fail('N5', `invoice ${invoice.id} is ${invoice.settled ? 'settled' : 'open'} and was paid ${times} times`)
    if (!invoice.settled) continue
    const steps = [...receipts.map(({ id }) => `receipt ${id}`), ...payments.map(({ id }) => `payment ${id}`)]
    const credited = steps.reduce((sum, step) => sum + (moved.get(`${step} ${invoice.wallet_id}`) ?? 0n), 0n)
    if (credited !== (invoice.credited ?? 0n))
      fail('N5', `invoice ${invoice.id} says it got ${String(invoice.credited)}, its wallet got ${credited}`)
  }
  const hashes = books.receipts.map((each) => each.payment_hash)
  if (new Set(hashes).size !== hashes.length) fail('N5', 'a hash was received twice')
  for (const { id, kind } of books.entries) {
    if (kind !== 'exchange') continue
    // In exact fractions over one common denominator.
    const common = 92n * 154n
    const gain = books.postings
      .filter((each) => each.entry_id === id && account.get(each.account_id)?.wallet_id != null)
      .reduce(
        (sum, each) => sum + (each.amount * priceOf(each.currency_code)[0] * common) / priceOf(each.currency_code)[1],
        0n,
      )
    if (gain > 0n) fail('N11', `conversion ${id} gained its user ${gain}/${common} msats`)
  }
}

/** Compares node and ledger when everything has ended: N7 and N14. */
export function checkEnd(books: Books, node: SimulatedNode, isMine: (paymentId: bigint) => boolean = () => true): void {
  const fail: Fail = (invariant, detail) => {
    throw new Breach(invariant, detail, books)
  }
  const payments = new Map(books.payments.map((each) => [each.id, each]))
  const losses = new Set(books.entries.filter(({ kind }) => kind === 'loss').map((each) => each.payment_id))
  for (const payment of books.payments)
    if (isOpen(payment)) fail('N14', `payment ${payment.id} is still ${payment.state}`)
  for (const [id, send] of node.sends) {
    if (!isMine(id)) continue
    const payment = payments.get(id)
    if (payment === undefined) fail('N7', `the node made a send ${id} that is no payment`)
    const known =
      send.state === 'succeeded'
        ? payment?.state === 'succeeded' || losses.has(id)
        : payment?.state === 'failed' && !losses.has(id)
    if (!known) fail('N7', `send ${id} ${send.state} and payment ${id} is ${payment?.state}`)
    // The excess over the limit is the operator's loss, not a fee for the payer.
    if (payment?.state === 'succeeded' && payment.network_fee_msats !== least(send.feeMsats, payment.fee_limit_msats))
      fail('N7', `payment ${id} books ${payment.network_fee_msats} msats of fee, the node paid ${send.feeMsats}`)
  }
  for (const payment of books.payments) {
    if (payment.node_key !== null && payment.state === 'succeeded' && node.sends.get(payment.id)?.state !== 'succeeded')
      fail('N7', `payment ${payment.id} is settled and the node never made it`)
  }
  const mine = new Set(books.invoices.map((each) => each.payment_hash))
  for (const receipt of node.receipts) {
    if (!mine.has(receipt.paymentHash)) continue
    const booked = books.receipts.find((each) => each.payment_hash === receipt.paymentHash)
    if (booked?.amount_msats !== receipt.amountMsats)
      fail('N7', `the node received ${receipt.amountMsats}, booked are ${String(booked?.amount_msats)}`)
  }
  // Sent and received amounts by account: the peer has what the node sent it, less what it sent us.
  const accountIds = new Map(books.accounts.map((each) => [each.id, each]))
  const sumOf = (wanted: (kind: string) => boolean, ofPayments: boolean): bigint =>
    books.postings
      .filter((each) => wanted(accountIds.get(each.account_id)?.kind ?? ''))
      .filter((each) => (books.entries.find(({ id }) => id === each.entry_id)?.payment_id != null) === ofPayments)
      .reduce((sum, { amount }) => sum + amount, 0n)
  const sent = [...node.sends.values()].filter(({ sendId, state }) => isMine(sendId) && state === 'succeeded')
  const amounts = sent.reduce((sum, { payment }) => sum + payment.amountMsats, 0n)
  const fees = sent.reduce((sum, { feeMsats }) => sum + feeMsats, 0n)
  if (sumOf((kind) => kind === 'node', true) !== amounts)
    fail('N7', `peers have ${sumOf((kind) => kind === 'node', true)} from payments, the node sent ${amounts}`)
  if (sumOf((kind) => kind === 'lightning', true) !== fees)
    fail('N7', `the network has ${sumOf((kind) => kind === 'lightning', true)}, the node paid ${fees} of fees`)
}

/** Compares one answer with the rows at that moment: N9, N10 and N15. */
export function checkAnswer(books: Books, { asked, result }: Answer, before: Books | undefined): void {
  const fail: Fail = (invariant, detail) => {
    throw new Breach(invariant, detail, books)
  }
  if (asked === undefined || result === undefined || result === 'done') return
  const ofHash = books.payments.filter((each) => each.payment_hash === asked.hash)
  if ('paid' in result) {
    const { paid } = result
    const settled = ofHash.find((each) => each.state === 'succeeded')
    if (settled === undefined)
      return fail('N9', `a client was told that ${asked.hash.slice(0, 8)} is paid, and it is not`)
    if (settled.user_id !== asked.username) fail('N15', `${asked.username} was shown the payment of ${settled.user_id}`)
    if (settled.invoice !== asked.invoice || settled.amount_msats !== asked.amountMsats)
      fail(
        'N10',
        `asked for another invoice or amount, ${asked.username} was given the answer of payment ${settled.id}`,
      )
    if (settled.preimage !== paid.preimage || settled.debit !== paid.debit)
      fail('N10', `payment ${settled.id} took ${settled.debit}, the client was told ${paid.debit}`)
  } else if (result.code === 'PAYMENT_FAILED') {
    if (!ofHash.some((each) => each.user_id === asked.username && each.state === 'failed'))
      fail('N9', `a client was told that ${asked.hash.slice(0, 8)} failed, and it did not`)
  } else if (result.code === 'INSUFFICIENT_BALANCE') {
    const mine = before?.payments.find((each) => same(each, asked) && each.state !== 'failed')
    if (mine !== undefined && ofHash.some((each) => each.id === mine.id && each.state !== 'failed'))
      fail('N10', `a repetition of payment ${mine.id} was refused for insufficient balance`)
  }
}

function same(payment: PaymentRow, asked: Asked): boolean {
  return (
    payment.payment_hash === asked.hash &&
    payment.user_id === asked.username &&
    payment.invoice === asked.invoice &&
    payment.amount_msats === asked.amountMsats
  )
}

/** Watches one world step by step and stores what it observes. */
export interface Watch {
  /** Called after each step that may have changed something. */
  look(books: Books, step: string): void
  /** The node accepts a send: checks N7, N8, and that it was recorded before. */
  nodeTook(payment: OutgoingPayment, row: PaymentRow | undefined): void
  asks(request: number, books: Books): void
  answered(request: number, answer: Answer, books: Books): void
  noAnswer(request: number): void
  atTheEnd(books: Books, quiet: boolean): void
  /** @throws the first breach that was found inside a step. */
  rethrow(): void
}

const ARROWS = ['held sending', 'held failed', 'sending succeeded', 'sending failed']

export function makeWatch({
  books: first,
  node,
}: {
  readonly books: Books
  readonly node: SimulatedNode
  readonly stage: Stage
}): Watch {
  let last = first
  let found: Breach | undefined
  const before = new Map<number, Books>()

  function keeping(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (!(error instanceof Breach)) throw error
      found ??= error
    }
  }

  function look(books: Books): void {
    checkRows(books)
    const then = new Map(last.payments.map((each) => [each.id, each]))
    for (const payment of books.payments) {
      const earlier = then.get(payment.id)
      then.delete(payment.id)
      if (earlier === undefined || earlier.state === payment.state) continue
      if (!ARROWS.includes(`${earlier.state} ${payment.state}`))
        throw new Breach('N6', `payment ${payment.id} went from ${earlier.state} to ${payment.state}`, books)
    }
    for (const id of then.keys()) throw new Breach('N13', `payment ${id} is gone`, books)
    if (books.postings.length < last.postings.length) throw new Breach('N13', 'postings are gone', books)
    for (const [place, posting] of last.postings.entries())
      if (books.postings[place]?.amount !== posting.amount || books.postings[place]?.id !== posting.id)
        throw new Breach('N13', `posting ${posting.id} was changed`, books)
    last = books
  }

  return {
    look: (books) => keeping(() => look(books)),
    nodeTook(payment, row) {
      keeping(() => {
        if (row === undefined)
          throw new Breach('N7', `the node was asked for a send ${payment.sendId} that is no payment`, last)
        if (row.state !== 'sending')
          throw new Breach('N7', `the node took payment ${row.id} while it was ${row.state}`, last)
        const code = last.wallets.find((each) => each.id === row.wallet_id)?.currency_code
        if (row.debit < costOf(payment.amountMsats + payment.feeLimitMsats, code))
          throw new Breach('N8', `payment ${row.id} left with a hold of ${row.debit}`, last)
      })
    },
    asks: (request, books) => void before.set(request, books),
    answered: (request, answer, books) => keeping(() => checkAnswer(books, answer, before.get(request))),
    noAnswer: (request) => void before.delete(request),
    atTheEnd(books, quiet) {
      keeping(() => {
        if (!quiet) {
          const open = books.payments.filter(isOpen).map(({ id, state }) => `payment ${id} is ${state}`)
          throw new Breach('N14', open.length === 0 ? 'a client waits forever' : open.join(', '), books)
        }
        look(books)
        checkEnd(books, node)
      })
    },
    rethrow() {
      if (found !== undefined) throw found
    },
  }
}

function isOpen({ state }: Pick<PaymentRow, 'state'>): boolean {
  return state === 'held' || state === 'sending'
}

function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function add<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): bigint {
  const sum = (sums.get(key) ?? 0n) + amount
  sums.set(key, sum)
  return sum
}
