import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'

/** A payment as the person who made it sees it. */
export interface PaymentCard {
  readonly paymentHash: string
  readonly description: string | null
  readonly amountMsats: bigint
  readonly feeMsats: bigint
  readonly walletCode: CurrencyCode
  /** What the wallet was charged, fees included, in its ledger units. */
  readonly debit: bigint
  readonly state: 'succeeded' | 'failed' | 'pending'
  readonly preimage: string | null
  readonly createdAt: Date
  readonly settledAt: Date | null
}

interface Row {
  readonly payment_hash: string
  readonly description: string | null
  readonly amount_msats: bigint
  readonly fee_msats: bigint
  readonly currency_code: string
  readonly debit: bigint
  readonly state: 'succeeded' | 'failed' | 'pending'
  readonly preimage: string | null
  readonly created_at: Date
  readonly settled_at: Date | null
}

const FIND: Statement = {
  name: 'find_payment',
  text: `select p.payment_hash, p.description, p.amount_msats, p.fee_msats, w.currency_code, p.debit,
                case when p.state in ('held', 'sending') then 'pending' else p.state end as state,
                p.preimage, p.created_at, p.settled_at
         from payments p join wallets w on w.id = p.wallet_id
         where p.user_id = $1 and p.payment_hash = $2 order by p.id desc limit 1`,
}

/** The person's own latest payment of a hash; null for a stranger's and for what is no hash. */
export async function findPayment(
  deps: Pick<Deps, 'db'>,
  username: string,
  paymentHash: string,
): Promise<PaymentCard | null> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return null
  const [row] = await deps.db.query<Row>(FIND, [username, paymentHash])
  if (row === undefined || !isCurrencyCode(row.currency_code)) return null
  return {
    paymentHash: row.payment_hash,
    description: row.description,
    amountMsats: row.amount_msats,
    feeMsats: row.fee_msats,
    walletCode: row.currency_code,
    debit: row.debit,
    state: row.state,
    preimage: row.preimage,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  }
}
