import { statement } from '../../platform/db/statement'
import type { Address } from '../address'
import { refuseBeyondShare } from '../open-invoices'
import { siteOf, siteOfAddress } from '../sites'
import { umaFault } from '../fault'
import type { PayMessage } from '../pay-message'
import { ended, paidOften } from '../pay-requests'
import type { PaidWallet } from '../receivers'
import type { ServerPorts } from '../server'

/** The UMA invoice that a pay request may pay. */
export interface PayableClaim {
  readonly id: bigint
  readonly secondsLeft: number
}

/**
 * What was asked for lately counts also where it has ended since: whoever asks again ends what it asked for before, and any
 * number in turn would pile up.
 */
const FIND = statement<Row>(
  'uma_invoice_to_claim',
  `select u.id, u.wallet_id, u.amount, u.sender_address, u.max_payments,
                floor(extract(epoch from u.expires_at - now()))::int as seconds_left,
                (select count(*)::int from uma_pay_requests r join invoices i on i.id = r.invoice_id
                 where r.uma_invoice_id = u.id and i.settled_at is not null) as payments,
                asked.of_site, asked.of_domain
         from uma_invoices u,
              lateral (
                select count(*)::int as of_site, count(*) filter (where split_part(r.payer_address, '@', 2) = $4)::int as of_domain
                from uma_pay_requests r join invoices i on i.id = r.invoice_id
                where r.uma_invoice_id = u.id and i.settled_at is null and i.created_at > now() - interval '10 minutes'
                  and r.protocol <> 'own' and ${siteOfAddress('r.payer_address')} = $3
              ) asked
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
  readonly of_site: number
  readonly of_domain: number
}

/**
 * Checks a pay request against the UMA invoice that it names; undefined when it names none. Whether a place is left for it
 * among those who may still pay is decided when its own invoice is kept (`keepAskedInvoice`).
 * @throws UmaFault for an invoice that is not this person's, has expired, was paid as often as it may be, is for somebody
 * else, or is for another amount; 429 where the site or the VASP has asked for its share within ten minutes and not paid.
 */
export async function findClaim(
  { db }: Pick<ServerPorts, 'db'>,
  request: {
    readonly message: Pick<PayMessage, 'invoiceUuid' | 'amount' | 'isInReceivingCurrency'>
    readonly username: string
    readonly wallet: PaidWallet
    /** `domain` of another VASP; somebody of this one has none, and no limit. */
    readonly payer: Pick<Address, 'text'> & Partial<Pick<Address, 'domain'>>
  },
): Promise<PayableClaim | undefined> {
  const { message, username, wallet, payer } = request
  if (message.invoiceUuid === undefined) return undefined
  const { domain } = payer
  const of = domain === undefined ? [null, null] : [siteOf(domain), domain]
  const [row] = await db.query(FIND, [message.invoiceUuid, username, ...of])
  if (row === undefined) throw umaFault('INVALID_INVOICE', 'There is no such UMA invoice of this person.')
  if (row.seconds_left < 1) throw ended()
  if (row.sender_address !== null && row.sender_address !== payer.text)
    throw umaFault('SENDER_NOT_ACCEPTED', 'The UMA invoice is for somebody else to pay.')
  if (row.payments >= row.max_payments) throw paidOften()
  if (domain !== undefined) await refuseBeyondShare(db, domain, row.of_site, () => row.of_domain)
  if (wallet.walletId !== row.wallet_id) throw umaFault('INVALID_CURRENCY', 'The UMA invoice is in another currency.')
  if (!message.isInReceivingCurrency || message.amount !== row.amount)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The UMA invoice is for another amount.')
  return { id: row.id, secondsLeft: row.seconds_left }
}
