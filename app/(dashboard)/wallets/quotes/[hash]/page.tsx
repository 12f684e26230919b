import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { titleOf } from '@/app/(dashboard)/page-title'
import { requireUser } from '@/app/(dashboard)/require-user'
import { CannotPay } from '@/app/(dashboard)/wallets/cannot-pay'
import { Alert } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem, DescriptionTotal } from '@/components/ui/description-item'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { Expiry, Instant } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount, formatUnits } from '@/lib/money/format'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import { visibleText } from '@/lib/platform/visible-text'
import { findQuote } from '@/lib/quotes/queries'
import type { Quote } from '@/lib/quotes/types'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { protocolInWords, rateInWords } from '@/lib/web/words'
import { PAY_QUOTE_ERRORS } from '../../send/errors'

interface Props {
  readonly params: Promise<{ readonly hash: string }>
  readonly searchParams: SearchParams
}

const readQuote = cache(async (hash: string) => {
  const user = await requireUser()
  return (await findQuote(application().db, user.username, hash.toLowerCase())) ?? notFound()
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { quote } = await readQuote((await params).hash)
  return titleOf('Quote', quote.paymentHash, `to ${quote.receiverAddress}`)
}

export default async function QuotePage({ params, searchParams }: Props) {
  const user = await requireUser()
  const current = application()
  const { quote, expired, payment } = await readQuote((await params).hash)
  const debit = toLedgerUnits(quote.totalSendingAmount, quote.sendingCode)
  if (payment !== null && payment !== 'failed') redirect(`/wallets/sent/${quote.paymentHash}`)
  const wallets = await readWallets(current.db, user.username)
  const canPay = wallets.some(({ code, available }) => code === quote.sendingCode && available >= debit)
  const error = expired
    ? 'This price has expired. Nothing was paid. Get a new quote.'
    : readFormError(PAY_QUOTE_ERRORS, singleParam((await searchParams).error)).form
  return (
    <div className="max-w-3xl py-8">
      <h1>Before you pay</h1>
      {error === undefined || !(expired || canPay) ? null : <Alert>{error}</Alert>}
      <p className="mt-6 flex items-center gap-x-4 font-serif text-xl">
        <Identicon text={quote.receiverAddress} size={48} />
        <span className="min-w-0 break-words">{quote.receiverAddress}</span>
      </p>
      <QuoteDetails quote={quote} expired={expired} now={current.clock.now()} />
      <div className="double-rule" />
      {expired || canPay ? null : (
        <CannotPay wallets={wallets} code={quote.sendingCode} debit={debit} otherWallet={askAgainHref(quote)} />
      )}
      <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
        {expired || !canPay ? null : (
          <UserForm action="/wallets/send/pay" busy="Paying …">
            <input type="hidden" name="payment_hash" value={quote.paymentHash} />
            <button className="button button-main">
              Pay {formatAmount(debit, quote.sendingCode)} {quote.sendingCode}
            </button>
          </UserForm>
        )}
        <Link className={expired ? 'button button-main' : 'tap'} href={askAgainHref(quote)}>
          {expired ? 'Get a new quote' : quote.umaInvoice === null ? 'Another amount' : 'Another wallet'}
        </Link>
      </div>
    </div>
  )
}

interface QuoteDetailsProps {
  readonly quote: Quote
  readonly expired: boolean
  readonly now: Date
}

function QuoteDetails({ quote, expired, now }: QuoteDetailsProps) {
  const { receivingCurrency, sendingCode, lockedSide } = quote
  const rate = rateInWords(quote)
  const comment = visibleText(quote.comment)
  return (
    <dl className="mt-4">
      <DescriptionItem term="Verified by">
        {protocolInWords(quote.protocol, quote.receiverAddress.split('@')[1] ?? '')}
      </DescriptionItem>
      {comment === undefined ? null : <DescriptionItem term="Comment">{comment}</DescriptionItem>}
      <DescriptionItem term="Pay from">
        {sendingCode}, {currencyOf(sendingCode).name}
      </DescriptionItem>
      {rate === null ? null : (
        <DescriptionItem term="Rate">
          <span className="figures">{rate}</span>
        </DescriptionItem>
      )}
      <DescriptionItem term="Fees">
        {quote.fees === 0n ? (
          'none'
        ) : (
          <>
            <Amount units={toLedgerUnits(quote.fees, sendingCode)} code={sendingCode} /> (included)
          </>
        )}
      </DescriptionItem>
      <DescriptionItem term={expired ? 'Expired' : 'Price valid until'}>
        {expired ? <Instant at={quote.expiresAt} /> : <Expiry at={quote.expiresAt} now={now} />}
      </DescriptionItem>
      <DescriptionTotal term={lockedSide === 'receiving' ? 'They receive exactly' : 'They receive'}>
        <span className="figures whitespace-nowrap">
          {formatUnits(quote.totalReceivingAmount, receivingCurrency.decimals)} {receivingCurrency.code}
        </span>
      </DescriptionTotal>
      <DescriptionTotal term={lockedSide === 'sending' ? 'You pay exactly' : 'You pay'}>
        <Amount units={toLedgerUnits(quote.totalSendingAmount, sendingCode)} code={sendingCode} />
      </DescriptionTotal>
    </dl>
  )
}

/**
 * The form's URL with the values of this quote. A UMA invoice is kept, because a payment to its receiver's address
 * would leave the invoice open.
 */
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
