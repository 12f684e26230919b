import type { Settings } from '../../platform/config'
import { statement } from '../../platform/db/statement'
import { umaFault } from '../fault'
import type { Call, ServerPorts } from './types'

/** The preimage is revealed only when the invoice is paid, because any node that knows it can claim the payment. */
const FIND = statement<Row>(
  'lnurl_invoice_to_verify',
  `select i.invoice, i.settled_at is not null as settled, case when i.settled_at is not null then i.preimage end as preimage
         from invoices i join uma_pay_requests r on r.invoice_id = i.id
         where i.payment_hash = $1 and r.protocol = 'lnurl'`,
)

interface Row {
  readonly invoice: string
  readonly settled: boolean
  readonly preimage: string | null
}

/**
 * The URL at which anyone who requested an invoice without an account here, such as a web shop, sees whether it is paid
 * (LUD-21).
 */
export function verifyAddress({ publicOrigin }: Pick<Settings, 'publicOrigin'>, paymentHash: string): string {
  return `${publicOrigin}/uma/verify/${paymentHash}`
}

/** `GET /uma/verify/{payment_hash}`, only for invoices that were requested over plain LNURL. */
export async function answerVerify({ db }: ServerPorts, { rest }: Call): Promise<unknown> {
  const [row] = /^[0-9a-f]{64}$/.test(rest) ? await db.query(FIND, [rest]) : []
  if (row === undefined) throw umaFault('REQUEST_NOT_FOUND', 'Not found')
  const { invoice: pr, settled, preimage } = row
  return { status: 'OK', settled, preimage, pr }
}
