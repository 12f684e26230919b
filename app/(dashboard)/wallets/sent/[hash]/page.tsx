import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { titleOf } from '@/app/(dashboard)/page-title'
import { requireUser } from '@/app/(dashboard)/require-user'
import { LivePage } from '@/components/live-page'
import { MemoHeading } from '@/components/memo-heading'
import { PaymentWire } from '@/components/sandbox-slots'
import { StateWatch } from '@/components/state-watch'
import { Records } from '@/components/tlv-records'
import { CopyField } from '@/components/ui/copy-field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { findPayment, type PaymentCard } from '@/lib/payments/queries'
import { visibleText } from '@/lib/platform/visible-text'
import { quoteOfPayment } from '@/lib/quotes/queries'
import { PaymentDetails } from './payment-details'
import { PaymentMoves } from './payment-moves'
import { PaymentState } from './payment-state'
import { Sides } from './sides'
import { SuccessActionSection } from './success-action'

interface Props {
  readonly params: Promise<{ readonly hash: string }>
}

const readPayment = cache(async (hash: string): Promise<PaymentCard> => {
  const user = await requireUser()
  return (await findPayment(application().db, user.username, hash.toLowerCase())) ?? notFound()
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { paymentHash, description, receiverAddress } = await readPayment((await params).hash)
  return titleOf('Payment', paymentHash, receiverAddress === null ? description : `to ${receiverAddress}`)
}

export default async function SentPage({ params }: Props) {
  const user = await requireUser()
  const payment = await readPayment((await params).hash)
  const { paymentHash, state, metadata: keysend } = payment
  const quote = await quoteOfPayment(application().db, payment)
  return (
    <div className="max-w-3xl py-8">
      <LivePage kinds={['payment']} />
      <Link className="tap" href={`/wallets/${payment.walletCode}`}>
        {payment.walletCode} wallet
      </Link>
      <MemoHeading
        memo={visibleText(quote?.comment) ?? payment.description}
        otherwise={
          quote !== undefined
            ? `To ${quote.receiverAddress}`
            : keysend === null
              ? 'Payment (no memo)'
              : 'Keysend (no message)'
        }
      />
      <PaymentState payment={payment} againAt={quote === undefined ? undefined : `/wallets/quotes/${paymentHash}`} />
      {state === 'pending' ? (
        <>
          <StateWatch url={`/wallets/sent/${paymentHash}/state`} state={payment.sent ? 'sending' : 'held'} />
          <noscript>
            <a className="tap" href={`/wallets/sent/${paymentHash}`}>
              Refresh
            </a>
          </noscript>
        </>
      ) : null}
      {quote?.successAction == null || payment.preimage === null ? null : (
        <SuccessActionSection
          action={quote.successAction}
          preimage={payment.preimage}
          receiver={quote.receiverAddress}
        />
      )}
      <Sides payment={payment} quote={quote} address={user.address} />
      <PaymentMoves payment={payment} />
      <section aria-labelledby="details" className="mt-8">
        <h2 id="details" className="mb-2">
          Details
        </h2>
        <PaymentDetails payment={payment} quote={quote} />
        {keysend === null ? null : <Records records={keysend.tlv_records} />}
        <div className="double-rule" />
      </section>
      {payment.preimage === null ? null : (
        <div className="mt-6">
          <CopyField label="Preimage (proof of payment)" text={payment.preimage} />
        </div>
      )}
      <PaymentWire username={user.username} paymentHash={paymentHash} />
      <p className="mt-6 actions">
        <Link className="button" href="/wallets">
          Back to wallets
        </Link>
        <Link className="tap" href="/wallets/send">
          Send another payment
        </Link>
      </p>
    </div>
  )
}
