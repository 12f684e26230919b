import { CallsLink } from '@/components/sandbox-slots'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import type { PaymentCard } from '@/lib/payments/queries'
import type { Quote } from '@/lib/quotes/types'
import { connectionAddress } from '@/lib/web/connection-links'
import { rateInWords } from '@/lib/web/words'

interface Props {
  readonly payment: PaymentCard
  /** The quote of a payment to an address. */
  readonly quote: Quote | undefined
}

/** Further details of a payment. */
export function PaymentDetails({ payment, quote }: Props) {
  const { connection } = payment
  const rate = quote === undefined ? null : rateInWords(quote)
  return (
    <dl>
      <DescriptionItem term="Started by">
        {connection === null ? (
          'you, in the dashboard'
        ) : (
          <Link className="row-link break-words" href={connectionAddress(connection.id)}>
            {connection.name}
          </Link>
        )}
        {connection !== null && application().settings.sandboxTools ? (
          <>
            {' '}
            <CallsLink connection={connection.id} />
          </>
        ) : null}
      </DescriptionItem>
      <DescriptionItem term="Kind">{kindOf(payment, quote)}</DescriptionItem>
      {rate === null ? null : (
        <DescriptionItem term="Rate">
          <span className="figures">{rate}</span>
        </DescriptionItem>
      )}
      <DescriptionItem term={quote === undefined ? 'Amount' : 'Lightning amount'}>
        <Amount units={payment.amountMsats} code="SAT" />
      </DescriptionItem>
      <DescriptionItem term="Fee">
        {quote === undefined ? <Fee payment={payment} /> : <QuotedFees quote={quote} />}
      </DescriptionItem>
      {payment.isCallbackGivenUp ? (
        <DescriptionItem term="Report">
          The receiver&rsquo;s VASP was not told that the payment is settled: it confirmed none of our five messages.
          The payment itself is complete.
        </DescriptionItem>
      ) : null}
      <DescriptionItem term="Payment hash">
        <code>{payment.paymentHash}</code>
      </DescriptionItem>
    </dl>
  )
}

function kindOf({ metadata }: PaymentCard, quote: Quote | undefined): string {
  if (quote !== undefined) return quote.receiverAddress.startsWith('$') ? 'To a UMA address' : 'To a Lightning Address'
  return metadata === null ? 'Lightning invoice' : 'Keysend (no invoice)'
}

function QuotedFees({ quote: { fees, sendingCode } }: { readonly quote: Quote }) {
  if (fees === 0n) return 'none'
  return (
    <>
      <Amount units={toLedgerUnits(fees, sendingCode)} code={sendingCode} /> (included)
    </>
  )
}

function Fee({ payment: { state, feeMsats, feeLimitMsats } }: { readonly payment: PaymentCard }) {
  if (state === 'succeeded' && feeMsats > 0n)
    return (
      <>
        <Amount units={feeMsats} code="SAT" /> of at most <Amount units={feeLimitMsats} code="SAT" />
      </>
    )
  if (state === 'pending' && feeLimitMsats > 0n)
    return (
      <>
        up to <Amount units={feeLimitMsats} code="SAT" />; the unused part is returned
      </>
    )
  return 'none'
}
