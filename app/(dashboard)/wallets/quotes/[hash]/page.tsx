import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound, redirect } from 'next/navigation'
import { Amount } from '@/components/ui/amount'
import { DoubleRule } from '@/components/ui/double-rule'
import { Guilloche } from '@/components/ui/identicon'
import { Instant } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount, formatUnits } from '@/lib/money/format'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import type { Quote } from '@/lib/quotes/types'
import { findQuote } from '@/lib/quotes/queries'
import { ACTIONS } from '@/lib/ui/actions'
import { Expiry } from '@/components/ui/expiry'
import { CannotPay } from '@/app/(dashboard)/wallets/cannot-pay'
import { Fact } from '@/components/ui/description-item'
import { Problem } from '@/components/ui/alert'
import { one, type SearchParams } from '@/lib/ui/search-params'
import { protocolInWords } from '@/lib/ui/words'
import { rateInWords } from '@/lib/ui/rate-in-words'
import { signedIn } from '@/app/(dashboard)/require-user'
import { problemSentence } from './sentences'
import { PersonForm } from '@/components/user-form'

export const metadata: Metadata = { title: 'Quote' }

interface Props {
  readonly params: Promise<{ readonly hash: string }>
  readonly searchParams: SearchParams
}

export default async function QuotePage({ params, searchParams }: Props) {
  const person = await signedIn()
  const current = application()
  const found = await findQuote(current.db, person.username, (await params).hash.toLowerCase())
  if (found === undefined) notFound()
  const { quote, expired, payment } = found
  const debit = toLedgerUnits(quote.totalSendingAmount, quote.sendingCode)
  if (payment !== null && payment !== 'failed') redirect(`/wallets/sent/${quote.paymentHash}`)
  const wallets = await readWallets(current.db, person.username)
  const canPay = wallets.some(({ code, available }) => code === quote.sendingCode && available >= debit)
  const problem = expired
    ? 'This price has expired, and nothing was paid. Ask for a new one.'
    : problemSentence(one((await searchParams).error))
  return (
    <div className="max-w-3xl py-8">
      <h1>Before you pay</h1>
      {problem === undefined || !(expired || canPay) ? null : <Problem>{problem}</Problem>}
      <p className="mt-6 flex items-center gap-x-4 font-serif text-xl">
        <Guilloche of={quote.receiverAddress} size={48} />
        <span className="min-w-0 break-words">{quote.receiverAddress}</span>
      </p>
      <QuoteFacts quote={quote} expired={expired} now={current.clock.now()} />
      <DoubleRule />
      {expired || canPay ? null : (
        <CannotPay wallets={wallets} code={quote.sendingCode} debit={debit} otherWallet={askAgainHref(quote)} />
      )}
      <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
        {expired || !canPay ? null : (
          <PersonForm action={ACTIONS.payQuote}>
            <input type="hidden" name="payment_hash" value={quote.paymentHash} />
            <button className="button button-main">
              Pay {formatAmount(debit, quote.sendingCode)} {quote.sendingCode}
            </button>
          </PersonForm>
        )}
        <Link prefetch={false} className={expired ? 'button button-main' : 'tap'} href={askAgainHref(quote)}>
          {expired ? 'Ask for a new price' : quote.umaInvoice === null ? 'Another amount' : 'Another wallet'}
        </Link>
      </div>
    </div>
  )
}

interface QuoteFactsProps {
  readonly quote: Quote
  readonly expired: boolean
  readonly now: Date
}

function QuoteFacts({ quote, expired, now }: QuoteFactsProps) {
  const { receivingCurrency, sendingCode, lockedSide } = quote
  const rate = rateInWords(quote)
  return (
    <dl className="mt-4">
      <Fact name="Found by">{protocolInWords(quote.protocol, quote.receiverAddress.split('@')[1] ?? '')}</Fact>
      {quote.comment === null ? null : <Fact name="Comment">{quote.comment}</Fact>}
      <Fact name="From the wallet">
        {sendingCode}, {currencyOf(sendingCode).name}
      </Fact>
      {rate === null ? null : (
        <Fact name="Rate">
          <span className="figures">{rate}</span>
        </Fact>
      )}
      <Fact name="Fees">
        {quote.fees === 0n ? (
          'none'
        ) : (
          <>
            <Amount units={toLedgerUnits(quote.fees, sendingCode)} code={sendingCode} />, in what you pay
          </>
        )}
      </Fact>
      <Fact name={expired ? 'Expired' : 'Price valid until'}>
        {expired ? <Instant at={quote.expiresAt} /> : <Expiry at={quote.expiresAt} now={now} />}
      </Fact>
      <Total name={lockedSide === 'receiving' ? 'They get exactly' : 'They get'}>
        <span className="figures whitespace-nowrap">
          {formatUnits(quote.totalReceivingAmount, receivingCurrency.decimals)} {receivingCurrency.code}
        </span>
      </Total>
      <Total name={lockedSide === 'sending' ? 'You pay exactly' : 'You pay'}>
        <Amount units={toLedgerUnits(quote.totalSendingAmount, sendingCode)} code={sendingCode} />
      </Total>
    </dl>
  )
}

function Total({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="line flex items-baseline justify-between gap-x-4 py-3">
      <dt className="font-serif text-lg">{name}</dt>
      <dd className="font-serif text-xl">{children}</dd>
    </div>
  )
}

/** The form with what was asked for. A UMA invoice stays that one: paid by its receiver's address, it would still be open. */
function askAgainHref(quote: Quote): string {
  const { lockedSide: side, sendingCode: wallet, receivingCurrency, umaInvoice } = quote
  if (umaInvoice !== null) return `/wallets/send?${new URLSearchParams({ invoice: umaInvoice, wallet })}`
  const amount =
    side === 'sending'
      ? formatUnits(quote.totalSendingAmount, currencyOf(wallet).decimals)
      : formatUnits(quote.totalReceivingAmount, receivingCurrency.decimals)
  const typed = { invoice: quote.receiverAddress, amount, side, wallet, currency: receivingCurrency.code }
  return `/wallets/send?${new URLSearchParams({ ...typed, comment: quote.comment ?? '' })}`
}
