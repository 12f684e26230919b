import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Amount } from '@/app/_components/amount'
import { CopyField } from '@/app/_components/copy-field'
import { DoubleRule } from '@/app/_components/double-rule'
import { deps } from '@/lib/deps'
import { dateAndTime } from '@/lib/look/time'
import { findPayment, type PaymentCard } from '@/lib/payments/queries'
import { Fact } from '../../../_components/fact'
import { MemoHeading } from '../../../_components/memo-heading'
import { signedIn } from '../../../_components/signed-in'

export const metadata: Metadata = { title: 'Payment' }

const STATES = {
  succeeded: ['text-green', '✓ Paid'],
  failed: ['text-red', '× Failed: nothing was taken from your wallet'],
  pending: ['', '○ Under way: the amount is held until the outcome is known'],
} as const satisfies Record<PaymentCard['state'], readonly [string, string]>

interface Props {
  readonly params: Promise<{ readonly hash: string }>
}

export default async function SentPage({ params }: Props) {
  const person = await signedIn()
  const payment = await findPayment(deps(), person.username, (await params).hash.toLowerCase())
  if (payment === null) notFound()
  const [colour, words] = STATES[payment.state]
  const at = payment.settledAt ?? payment.createdAt
  return (
    <div className="max-w-3xl py-8">
      <MemoHeading memo={payment.description} otherwise="Payment without a memo" />
      <output className={`mt-3 block text-lg ${colour}`}>{words}</output>
      <dl className="mt-6">
        <Fact name="Amount">
          <Amount units={payment.amountMsats} code="SAT" />
        </Fact>
        <Fact name="Fee">{payment.feeMsats === 0n ? 'none' : <Amount units={payment.feeMsats} code="SAT" />}</Fact>
        <Fact name="From the wallet">
          <Link className="row-link" href={`/wallets/${payment.walletCode}`}>
            {payment.walletCode}
          </Link>
        </Fact>
        <Fact name={payment.settledAt === null ? 'Started' : 'Settled'}>
          <time dateTime={at.toISOString()}>{dateAndTime(at)}</time>
        </Fact>
        <Fact name="Payment hash">
          <code>{payment.paymentHash}</code>
        </Fact>
        <div className="line flex items-baseline justify-between gap-x-4 py-3">
          <dt className="font-serif text-lg">{payment.state === 'succeeded' ? 'It cost' : 'It would cost'}</dt>
          <dd className="font-serif text-xl">
            <Amount units={payment.debit} code={payment.walletCode} />
          </dd>
        </div>
      </dl>
      <DoubleRule />
      {payment.preimage === null ? null : (
        <div className="mt-6">
          <CopyField label="Preimage, the proof that you paid" text={payment.preimage} />
        </div>
      )}
      <p className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-2">
        <Link className="button" href="/wallets">
          To the wallets
        </Link>
        <Link className="tap" href="/wallets/send">
          Pay another invoice
        </Link>
      </p>
    </div>
  )
}
