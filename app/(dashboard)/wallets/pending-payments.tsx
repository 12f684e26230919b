import { StateWatch } from '@/components/state-watch'
import { Amount } from '@/components/ui/amount'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { PaymentCard } from '@/lib/payments/queries'
import { visibleText } from '@/lib/platform/visible-text'
import { waitsFor } from '@/lib/web/words'
import { pendingState } from './pending/pending-state'

interface Props {
  /** All pending payments of the user. */
  readonly payments: readonly PaymentCard[]
  /** Shows the payments of this wallet only. */
  readonly code?: CurrencyCode
  readonly now: Date
}

/** Payments without a final result, and the state of each. The page is rendered again when one ends. */
export function PendingPayments({ payments, code, now }: Props) {
  const shown = code === undefined ? payments : payments.filter(({ walletCode }) => walletCode === code)
  if (shown.length === 0) return null
  return (
    <section aria-labelledby="pending" className="mt-2 mb-8">
      <StateWatch url="/wallets/pending" state={pendingState(payments)} />
      <h2 id="pending">In progress</h2>
      <p className="label mt-1">The amount is reserved until the result is known. It cannot be lost or sent twice.</p>
      <ul className="mt-3">
        {shown.map((payment) => (
          <li
            key={payment.paymentHash}
            className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[1fr_22rem_10rem]"
          >
            <Link className="row-link min-w-0 break-words" href={`/wallets/sent/${payment.paymentHash}`}>
              <WhatFor payment={payment} />
            </Link>
            <p className="label max-md:col-span-full max-md:row-start-2">
              {waitsFor(payment)} Since <Moment at={payment.createdAt} now={now} />.
            </p>
            <p className="text-right max-md:col-start-2 max-md:row-start-1">
              <span className="hatch border border-ochre px-2 py-0.5">
                <Amount units={payment.debit} code={payment.walletCode} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function WhatFor({ payment: { description, receiverAddress, paymentHash } }: { readonly payment: PaymentCard }) {
  const memo = visibleText(description)
  if (receiverAddress !== null)
    return (
      <>
        To {receiverAddress}
        {memo === undefined ? null : <span className="label line-clamp-2">{memo}</span>}
      </>
    )
  if (memo !== undefined) return <span className="line-clamp-2">{memo}</span>
  return (
    <>
      No memo, <code>{paymentHash.slice(0, 8)}</code>
    </>
  )
}
