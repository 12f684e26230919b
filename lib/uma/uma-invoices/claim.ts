import type { Statement } from '../../db/database'
import type { Address } from '../address'
import { umaFault } from '../fault'
import type { PayMessage } from '../pay-message'
import type { PaidWallet } from '../receivers'
import type { ServerPorts } from '../server'

/** The UMA invoice that a pay request pays. */
export interface ClaimedUmaInvoice {
  readonly id: bigint
  readonly secondsLeft: number
}

/** What others may still pay counts as paid; what the same payer asked for before and did not pay does not. */
const FIND: Statement = {
  name: 'claim_uma_invoice',
  text: `select u.id, u.wallet_id, u.amount, u.sender_address, u.max_payments,
                floor(extract(epoch from u.expires_at - now()))::int as seconds_left,
                (select count(*)::int from uma_pay_requests r join invoices i on i.id = r.invoice_id
                 where r.uma_invoice_id = u.id
                   and (i.settled_at is not null or (i.expires_at > now() and r.payer_address <> $3))) as payments
         from uma_invoices u where u.uuid = $1::uuid and u.user_id = $2`,
}

interface Row {
  readonly id: bigint
  readonly wallet_id: bigint
  readonly amount: bigint
  readonly sender_address: string | null
  readonly max_payments: number
  readonly seconds_left: number
  readonly payments: number
}

/**
 * Checks a pay request against the UMA invoice that it names; undefined when it names none.
 * @throws UmaFault for an invoice that is not this person's, has expired, was paid as often as it may be, is for somebody
 * else, or is for another amount.
 */
export async function claimUmaInvoice(
  { db }: Pick<ServerPorts, 'db'>,
  request: {
    readonly message: Pick<PayMessage, 'invoiceUuid' | 'amount' | 'isInReceivingCurrency'>
    readonly username: string
    readonly wallet: PaidWallet
    readonly payer: Pick<Address, 'text'>
  },
): Promise<ClaimedUmaInvoice | undefined> {
  const { message, username, wallet, payer } = request
  if (message.invoiceUuid === undefined) return undefined
  const [row] = await db.query<Row>(FIND, [message.invoiceUuid, username, payer.text])
  if (row === undefined) throw umaFault('INVALID_INVOICE', 'There is no such UMA invoice of this person.')
  if (row.seconds_left < 1) throw umaFault('INVOICE_EXPIRED', 'The UMA invoice has expired.')
  if (row.sender_address !== null && row.sender_address !== payer.text)
    throw umaFault('SENDER_NOT_ACCEPTED', 'The UMA invoice is for somebody else to pay.')
  if (row.payments >= row.max_payments)
    throw umaFault('INVALID_INVOICE', 'The UMA invoice was paid, or is being paid, as often as it may be.')
  if (wallet.walletId !== row.wallet_id) throw umaFault('INVALID_CURRENCY', 'The UMA invoice is in another currency.')
  if (!message.isInReceivingCurrency || message.amount !== row.amount)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The UMA invoice is for another amount.')
  return { id: row.id, secondsLeft: row.seconds_left }
}
