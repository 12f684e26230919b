import { statement } from '../../platform/db/statement'
import { umaFault } from '../fault'
import { ended, fullyPaid, MAX_OPEN_INVOICES, tooManyOpen } from '../pay-requests'
import { registrableDomain, registrableDomainSql } from '../registrable-domain'
import type { UmaInvoiceAnswers } from '../server/types'

/**
 * Invoices of the last ten minutes count even when they have ended: a new request from the same payer ends the previous
 * invoice, so a payer could otherwise create any number.
 */
const FIND = statement<Row>(
  'uma_invoice_to_claim',
  `select u.id, u.wallet_id, u.amount, u.sender_address, u.max_payments,
                floor(extract(epoch from u.expires_at - now()))::int as seconds_left,
                (select count(*)::int from uma_pay_requests r join invoices i on i.id = r.invoice_id
                 where r.uma_invoice_id = u.id and i.settled_at is not null) as payments,
                (select count(*)::int from uma_pay_requests r join invoices i on i.id = r.invoice_id
                 where r.uma_invoice_id = u.id and i.settled_at is null and i.created_at > now() - interval '10 minutes'
                   and r.protocol <> 'own' and ${registrableDomainSql('r.payer_address')} = $3) as open_of_domain
         from uma_invoices u
         where u.uuid = $1::uuid and u.user_id = $2`,
)

interface Row {
  readonly id: bigint
  readonly wallet_id: bigint
  readonly amount: bigint
  readonly sender_address: string | null
  readonly max_payments: number
  readonly seconds_left: number
  readonly payments: number
  readonly open_of_domain: number
}

/** Checks a pay request against the UMA invoice that it names (`UmaInvoiceAnswers`). */
export const findClaim: UmaInvoiceAnswers['findClaim'] = async ({ db }, request) => {
  const { uuid, username, wallet, payer, amount, isInReceivingCurrency } = request
  const { domain } = payer
  const limitedDomain = domain === undefined ? null : registrableDomain(domain)
  const [row] = await db.query(FIND, [uuid, username, limitedDomain])
  if (row === undefined) throw umaFault('INVALID_INVOICE', 'This user has no such UMA invoice.')
  if (row.seconds_left < 1) throw ended()
  if (row.sender_address !== null && row.sender_address !== payer.text)
    throw umaFault('SENDER_NOT_ACCEPTED', 'The UMA invoice can only be paid by another address.')
  if (row.payments >= row.max_payments) throw fullyPaid()
  if (row.open_of_domain >= MAX_OPEN_INVOICES) throw tooManyOpen()
  if (wallet.walletId !== row.wallet_id) throw umaFault('INVALID_CURRENCY', 'The UMA invoice is in another currency.')
  if (!isInReceivingCurrency || amount !== row.amount)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The UMA invoice is for another amount.')
  return { id: row.id, secondsLeft: row.seconds_left }
}
