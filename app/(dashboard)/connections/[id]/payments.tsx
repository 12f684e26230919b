import { Amount } from '@/components/ui/amount'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import type { PaymentCard } from '@/lib/payments/queries'
import { visibleText } from '@/lib/platform/visible-text'

const STATES = { succeeded: 'Paid', failed: '× Failed', pending: 'In progress' } as const

interface Props {
  readonly payments: readonly PaymentCard[]
  readonly now: Date
}

/** The newest payments of a connection. */
export function ConnectionPayments({ payments, now }: Props) {
  return (
    <section aria-labelledby="payments" className="mt-8">
      <h2 id="payments">Payments</h2>
      {payments.length === 0 ? (
        <p className="mt-2 text-muted">This app has paid nothing yet.</p>
      ) : (
        <ul className="mt-2">
          {payments.map((payment) => (
            <li
              key={payment.paymentHash + String(payment.createdAt.getTime())}
              className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-1.5"
              data-live={`${payment.paymentHash} ${payment.state}`}
            >
              <span className="min-w-0 break-words">
                <Link className="row-link" href={`/wallets/sent/${payment.paymentHash}`}>
                  {payment.receiverAddress ?? visibleText(payment.description) ?? (
                    <>
                      No memo, <code>{payment.paymentHash.slice(0, 8)}</code>
                    </>
                  )}
                </Link>{' '}
                <span className="label">
                  {STATES[payment.state]}, <Moment at={payment.createdAt} now={now} />
                </span>
              </span>
              <Amount units={payment.debit} code={payment.walletCode} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
