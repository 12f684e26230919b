import type { WalletAccount } from '../ledger/accounts'
import type { RateSnapshot } from '../ledger/rate-snapshot'
import { multiplierOf } from '../money/currencies'
import { toLedgerUnits } from '../money/ledger-units'
import { statement } from '../platform/db/statement'
import { remoteFault } from '../platform/errors'
import { namePayment } from '../platform/trace'
import type { InvoiceOffer } from '../uma/client/types'
import { allTaken, nonceParams, takingNonces, usedNonce, type Nonce } from '../uma/nonces'
import type { Protocol } from '../uma/types'
import { costOf, type Price } from './price'
import { quoteToPayOf, TO_PAY_COLUMNS, TO_PAY_JOINS, type QuoteToPay, type ToPayRow } from './queries'
import type { NamedCurrency, QuotePorts } from './types'

/**
 * Each payment hash has at most one quote. The hash of another quote, of an earlier payment, or (from another VASP) of this
 * VASP's own invoice is refused here, before money is held.
 */
const INSERT = statement<
  { readonly [Column in keyof ToPayRow]: ToPayRow[Column] | null } & { readonly fresh: boolean }
>(
  'insert_quote',
  `with ${takingNonces(26)},
         q as (
           insert into quotes (payment_hash, invoice, user_id, connection_id, wallet_id, receiver_address, protocol, locked_side,
                               total_sending_amount, debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier,
                               amount_msats, fee_limit_msats, rate_snapshot_id, comment, callback_id, remote_callback_url,
                               expires_at, uma_invoice, uma_invoice_uuid, success_action, created_at)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14, $15, $16, $17, $18, $19, $20, $21,
                  to_timestamp($22::bigint), $23, $24::uuid, $25::jsonb, coalesce(to_timestamp($30::bigint), now())
           where ${allTaken(26)} and not exists (select from payments where payment_hash = $1)
             and ($7 = 'own' or not exists (select from invoices where payment_hash = $1))
           on conflict (payment_hash) do nothing
           returning *
         )
         select ${allTaken(26)} as fresh, ${TO_PAY_COLUMNS} from (select) as one left join (q ${TO_PAY_JOINS}) on true`,
)

export interface NewQuote {
  readonly username: string
  /** Null for a quote from the dashboard. */
  readonly connectionId: string | null
  readonly wallet: Pick<WalletAccount, 'walletId' | 'code'>
  readonly address: string
  readonly protocol: Protocol
  readonly lockedSide: 'sending' | 'receiving'
  readonly currency: NamedCurrency
  readonly offer: InvoiceOffer
  readonly price: Price
  /** The rates at which the price was computed. The payment of the quote is booked at these rates. */
  readonly rates: RateSnapshot
  readonly comment?: string | undefined
  /** Set for the quote of a UMA invoice. */
  readonly umaInvoice?: { readonly encoded: string; readonly uuid: string } | undefined
  /** The secret part of the URL at which the receiver's VASP may report the settlement. */
  readonly callbackId: string
  readonly expiresAtSeconds: number
  /** Of the answers behind the quote. They are taken here, and a quote is saved only if none was used before. */
  readonly nonces: readonly Nonce[]
  /** For a quote of the past, which only an example month of the sandbox has. */
  readonly createdAtSeconds?: number | undefined
}

/**
 * @returns the quote with what its payment needs, so that it can be paid without being read again.
 * @throws VaspError 400 OTHER for a payment hash that was used before, UmaFault INVALID_NONCE for a nonce that was.
 */
export async function saveQuote(
  { db }: Pick<QuotePorts, 'db'>,
  { offer, price, currency, wallet, rates, ...quote }: NewQuote,
): Promise<QuoteToPay> {
  namePayment({ paymentHash: offer.invoice.paymentHash })
  const { code, symbol, name, decimals } = currency
  const [row] = await db.query(INSERT, [
    offer.invoice.paymentHash,
    offer.invoice.invoice,
    quote.username,
    quote.connectionId,
    wallet.walletId,
    quote.address,
    quote.protocol,
    quote.lockedSide,
    price.totalSendingAmount,
    price.debit,
    // For display: our fee plus the receiver's fee in the sending currency, rounded up. The total contains the
    // receiver's fee exactly.
    price.vaspFeeAmount + costOf(offer.feeMsats, { code: wallet.code, receivingCode: code, rates: rates.rateOf }),
    toLedgerUnits(price.vaspFeeAmount, wallet.code),
    JSON.stringify({ code, symbol, name, decimals }),
    offer.receivingUnits,
    offer.msatsPerUnit / multiplierOf(wallet.code, rates.rateOf),
    offer.amountMsats,
    price.feeLimitMsats,
    rates.snapshotId,
    quote.comment ?? null,
    quote.callbackId,
    offer.remoteCallback,
    quote.expiresAtSeconds,
    quote.umaInvoice?.encoded ?? null,
    quote.umaInvoice?.uuid ?? null,
    offer.successAction == null ? null : JSON.stringify(offer.successAction),
    ...nonceParams(quote.nonces),
    quote.createdAtSeconds ?? null,
  ])
  if (row?.fresh !== true) throw usedNonce()
  if (!isSaved(row))
    throw remoteFault(
      'offer',
      `${quote.address.split('@')[1] ?? ''} returned the payment hash of another payment. Nothing was paid.`,
    )
  return quoteToPayOf(row)
}

type Inserted = NonNullable<typeof INSERT.row>

function isSaved(row: Inserted): row is Inserted & ToPayRow {
  return row.id !== null
}
