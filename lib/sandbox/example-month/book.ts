import { createHmac } from 'node:crypto'
import { addressOf } from 'uma-auth-vasp'
import { readWallets, type HouseAccounts, type WalletAccount } from '../../ledger/accounts'
import { conversionLines, mergeLines } from '../../ledger/conversion'
import { postEntry } from '../../ledger/entry'
import type { RateSnapshot } from '../../ledger/rate-snapshot'
import { decodeInvoice } from '../../lightning/bolt11'
import { hashOfPreimage } from '../../lightning/preimage'
import { signInvoice } from '../../lightning/simulated-node/sign-invoice'
import { currencyOf, multiplierOf } from '../../money/currencies'
import { fromLedgerUnits, msatsInLedgerUnits } from '../../money/ledger-units'
import { epochSeconds } from '../../platform/clock'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { saveQuote } from '../../quotes/save'
import { saveRequestedInvoice } from '../../uma/pay-requests'
import { MONTH, type PastMovement } from './movements'

interface Ports {
  readonly db: Database
  readonly house: HouseAccounts
  /** The listed rates: in a new database none is pinned. */
  readonly rates: RateSnapshot
  readonly settings: Pick<Settings, 'vaspDomain' | 'nextAuthSecret'>
  /** The key of the simulated node, which signs the invoices. */
  readonly nodeKeyHex: string
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The wallets are opened so many days before the first start. */
const DAYS = 31
const EXPIRY_SECONDS = 600
const NETWORK = 'regtest'

const OPENED = statement<{ at: Date }>(
  'example_month_opened',
  `select created_at as at from journal_entries where idempotency_key = 'opening:alice:USD'`,
)

/**
 * When the wallets of a database with an example month were opened, or are to be opened: midnight. Undefined for a database from
 * before, whose opening balances have the time of its first start.
 */
export async function openingOfMonth(db: Database, now: Date): Promise<Date | undefined> {
  const [opened] = await db.query(OPENED)
  if (opened === undefined) return new Date(now.getTime() - (now.getTime() % DAY_MS) - DAYS * DAY_MS)
  return opened.at.getTime() % DAY_MS === 0 ? opened.at : undefined
}

/** Books what is missing of the month. Each movement is booked once, at its own time, in the order of the times. */
export async function bookMonth(ports: Ports, openedAt: Date): Promise<void> {
  const done = await ports.db.query(BOOKED, [
    MONTH.map((_, index) => keyOf(index)),
    MONTH.map((_, index) => hashOf(ports, index)),
  ])
  const booked = new Set(done.map(({ place }) => place))
  if (booked.size === MONTH.length) return
  for (const [index, movement] of MONTH.entries()) {
    if (booked.has(index + 1)) continue
    const at = new Date(openedAt.getTime() + movement.day * DAY_MS + movement.minute * MINUTE_MS)
    await book(ports, movement, index, at)
  }
}

/** The places in the month, counted from 1, of the movements that are booked. */
const BOOKED = statement<{ place: number }>(
  'example_month_booked',
  `select asked.place::int as place
   from unnest($1::text[], $2::text[]) with ordinality as asked (key, hash, place)
   cross join lateral (select from journal_entries where idempotency_key = asked.key
                       union all select from invoices where payment_hash = asked.hash and settled_at is not null offset 0) found`,
)

const keyOf = (index: number): string => `exchange:example-month:${index}`
/** The same after an interrupted start. It cannot be guessed without the secret. */
function secretOf({ settings }: Pick<Ports, 'settings'>, purpose: string, index: number): string {
  return createHmac('sha256', settings.nextAuthSecret).update(`example month, ${purpose} ${index}`).digest('hex')
}
const hashOf = (ports: Pick<Ports, 'settings'>, index: number): string =>
  hashOfPreimage(secretOf(ports, 'preimage', index))

async function book(ports: Ports, movement: PastMovement, index: number, at: Date): Promise<void> {
  const { db, house, rates } = ports
  const msats = movement.sats * 1_000n
  const [from, to] = await Promise.all([movement.from, movement.to].map(([user, code]) => walletOf(db, user, code)))
  // A user who was deleted or has other wallets takes part in no example.
  if (from === undefined || to === undefined) return
  const debit = msatsInLedgerUnits(msats, from.code, 'down', rates.rateOf)
  const credit = msatsInLedgerUnits(msats, to.code, 'down', rates.rateOf)
  const lines = mergeLines(
    conversionLines(
      house,
      { accountId: from.accountId, code: from.code, amount: debit, rates: rates.rateOf },
      { accountId: to.accountId, code: to.code, amount: credit, rates: rates.rateOf },
    ),
  )
  if (movement.from[0] === movement.to[0]) {
    await postEntry(db, { kind: 'exchange', key: keyOf(index), lines, at })
    return
  }
  await pay(ports, { movement, index, at, from, to, debit, credit, msats, lines })
}

interface PastPayment {
  readonly movement: PastMovement
  readonly index: number
  readonly at: Date
  readonly from: WalletAccount
  readonly to: WalletAccount
  readonly debit: bigint
  readonly credit: bigint
  readonly msats: bigint
  readonly lines: readonly { readonly accountId: bigint; readonly amount: bigint }[]
}

const SETTLE = statement<{ outcome: string }>(
  'settle_past_payment',
  `select outcome from settle_internal_payment($1, $2, $3, null, $4, (select id from quotes where payment_hash = $1), $5, $6, $7,
                                               $8::bigint[], $9::bigint[], $10::timestamptz)`,
)

/** What an interrupted start has left of a payment. */
const LEFT = statement<{ invoiced: boolean; quoted: boolean }>(
  'example_month_left',
  `select exists (select from invoices where payment_hash = $1) as invoiced, exists (select from quotes where payment_hash = $1) as quoted`,
)

/** A payment to an address of this VASP, with the rows that a payment of today has: invoice, pay request, quote, payment. */
async function pay(
  ports: Ports,
  { movement, index, at, from, to, debit, credit, msats, lines }: PastPayment,
): Promise<void> {
  const { db, rates, settings } = ports
  const preimageHex = secretOf(ports, 'preimage', index)
  const signed = signInvoice(
    {
      secretHex: ports.nodeKeyHex,
      network: NETWORK,
      clock: { now: () => at },
      paymentSecretHex: secretOf(ports, 'payment secret', index),
    },
    { preimageHex, amountMsats: msats, expirySeconds: EXPIRY_SECONDS, purpose: { description: movement.memo } },
  )
  const decoded = decodeInvoice(signed.invoice, NETWORK)
  if (!decoded.ok) throw new Error(`our own invoice cannot be read: ${decoded.reason}`)
  const [left] = await db.query(LEFT, [signed.paymentHash])
  const receivingUnits = fromLedgerUnits(credit, to.code, 'down')
  const [payer, payee] = [movement.from[0], movement.to[0]]
  if (left?.invoiced !== true)
    await saveRequestedInvoice(db, {
      username: payee,
      walletId: to.walletId,
      made: {
        ...signed,
        preimageHex,
        amountMsats: msats,
        receivingUnits,
        fixedCredit: { credit, rateSnapshotId: rates.snapshotId, feeMsats: 0n },
      },
      description: movement.memo,
      request: { protocol: 'own', payerAddress: addressOf(payer, settings.vaspDomain), comment: movement.memo },
    })
  const { code, symbol, name, decimals } = currencyOf(to.code)
  if (left?.quoted !== true)
    await saveQuote(
      { db },
      {
        username: payer,
        connectionId: null,
        wallet: from,
        address: addressOf(payee, settings.vaspDomain),
        protocol: 'own',
        lockedSide: 'receiving',
        currency: { code, symbol, name, decimals },
        offer: {
          invoice: decoded.invoice,
          amountMsats: msats,
          receivingUnits,
          feeMsats: 0n,
          msatsPerUnit: multiplierOf(to.code, rates.rateOf),
          remoteCallback: null,
        },
        price: {
          totalSendingAmount: fromLedgerUnits(debit, from.code, 'up'),
          debit,
          vaspFeeAmount: 0n,
          feeLimitMsats: 0n,
        },
        rates,
        comment: movement.memo,
        callbackId: preimageHex.slice(0, 32),
        nonces: [],
        createdAtSeconds: epochSeconds(at),
        expiresAtSeconds: signed.expiresAtSeconds,
      },
    )
  const [settled] = await db.query(SETTLE, [
    signed.paymentHash,
    signed.invoice,
    payer,
    from.walletId,
    msats,
    debit,
    rates.snapshotId,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
    at.toISOString(),
  ])
  if (settled?.outcome !== 'paid') throw new Error(`a payment of the example month ended with ${settled?.outcome}`)
}

async function walletOf(db: Database, username: string, code: string): Promise<WalletAccount | undefined> {
  return (await readWallets(db, username)).find((wallet) => wallet.code === code)
}
