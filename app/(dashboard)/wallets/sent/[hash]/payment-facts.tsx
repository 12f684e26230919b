import Link from 'next/link'
import { Amount } from '@/app/_components/amount'
import type { PaymentCard } from '@/lib/payments/queries'
import { Fact } from '../../../_components/fact'
import { anchorOf } from '../../../_components/questions'

/** What else is known of a payment. */
export function PaymentFacts({ payment }: { readonly payment: PaymentCard }) {
  const { connection } = payment
  return (
    <dl>
      <Fact name="Asked by">
        {connection === null ? (
          'you, on these pages'
        ) : (
          <Link className="row-link break-words" href={`/connections#${anchorOf(connection.id)}`}>
            {connection.name}
          </Link>
        )}
      </Fact>
      <Fact name="Kind">{payment.metadata === null ? 'Lightning invoice' : 'Keysend, without an invoice'}</Fact>
      <Fact name="Amount">
        <Amount units={payment.amountMsats} code="SAT" />
      </Fact>
      <Fact name="Fee">
        <Fee payment={payment} />
      </Fact>
      <Fact name="Payment hash">
        <code>{payment.paymentHash}</code>
      </Fact>
    </dl>
  )
}

function Fee({ payment: { state, feeMsats, feeLimitMsats } }: { readonly payment: PaymentCard }) {
  if (state === 'succeeded' && feeMsats > 0n)
    return (
      <>
        <Amount units={feeMsats} code="SAT" />, of at most <Amount units={feeLimitMsats} code="SAT" />
      </>
    )
  if (state === 'pending' && feeLimitMsats > 0n)
    return (
      <>
        at most <Amount units={feeLimitMsats} code="SAT" />; what is not needed comes back
      </>
    )
  return 'none'
}
