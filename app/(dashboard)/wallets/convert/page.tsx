import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { requireUser } from '@/app/(dashboard)/require-user'
import { Alert } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem, DescriptionTotal } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { Expiry, Instant } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount, readAmount } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { priceConversion } from '@/lib/wallets/service'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { priceInWords } from '@/lib/web/words'
import { isExpired, PriceFields } from './preview-address'

export const metadata: Metadata = { title: 'Convert' }

const ERRORS: ErrorTexts = {
  expired: 'The price had expired. Nothing was converted. Check the new price below.',
  changed: 'The rate has changed. Nothing was converted. Check the new price below.',
}

interface Props {
  readonly searchParams: SearchParams
}

/** A conversion before it is booked. The figures are those of the current rate, never those of the address. */
export default async function ConvertPage({ searchParams }: Props) {
  const { username } = await requireUser()
  const current = application()
  const query = await searchParams
  const fields = PriceFields.safeParse(query)
  if (!fields.success) notFound()
  const { from, to, amount: typed, gives, until, id } = fields.data
  const amount = readAmount(typed, from)
  if (typeof amount === 'string') notFound()
  const { arrives, rateOf } = await priceConversion(current, { username, from, to, amount }).catch((error: unknown) =>
    isVaspError(error) && error.status < 500 ? notFound() : Promise.reject(error),
  )
  const expired = isExpired(current, { until })
  const old = expired
    ? 'This price has expired. Nothing was converted.'
    : arrives === gives
      ? undefined
      : 'The rate has changed. Nothing was converted.'
  const alert = old ?? readFormError(ERRORS, singleParam(query.error)).form
  const expiresAt = new Date(until * 1_000)
  const given = `${formatAmount(amount, from)} ${from}`
  return (
    <div className="max-w-3xl py-8">
      <h1>Before you convert</h1>
      {alert === undefined ? null : <Alert>{alert}</Alert>}
      <dl className="mt-6">
        <DescriptionItem term="From">
          {from}, {currencyOf(from).name}
        </DescriptionItem>
        <DescriptionItem term="To">
          {to}, {currencyOf(to).name}
        </DescriptionItem>
        <DescriptionItem term="Rate">
          <span className="figures">{priceInWords(from, to, rateOf)}</span>
        </DescriptionItem>
        <DescriptionItem term="Rounding">
          down to <Amount units={1n} code={to} />, the smallest amount of this wallet
        </DescriptionItem>
        <DescriptionItem term="Fees">none</DescriptionItem>
        <DescriptionItem term={expired ? 'Expired' : 'Price valid until'}>
          {expired ? <Instant at={expiresAt} /> : <Expiry at={expiresAt} now={current.clock.now()} />}
          {old === undefined ? (
            <span className="label block">If the rate changes sooner, you are asked again.</span>
          ) : null}
        </DescriptionItem>
        <DescriptionTotal term="You receive">
          <Amount units={arrives} code={to} />
        </DescriptionTotal>
        <DescriptionTotal term="You convert">
          <Amount units={amount} code={from} />
        </DescriptionTotal>
      </dl>
      <div className="double-rule" />
      <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
        {old === undefined ? (
          <UserForm action="/wallets/convert/book" busy="Converting …">
            <input type="hidden" name="from" value={from} />
            <input type="hidden" name="to" value={to} />
            <input type="hidden" name="amount" value={typed} />
            <input type="hidden" name="gives" value={String(gives)} />
            <input type="hidden" name="until" value={until} />
            <input type="hidden" name="id" value={id} autoComplete="off" />
            <button className="button button-main">Convert {given}</button>
          </UserForm>
        ) : (
          <UserForm action="/wallets/convert/price">
            <input type="hidden" name="from" value={from} />
            <input type="hidden" name="to" value={to} />
            <input type="hidden" name="amount" value={typed} />
            <button className="button button-main">Get a new price</button>
          </UserForm>
        )}
        <Link className="tap" href={`/wallets/${from}?${new URLSearchParams({ amount: typed, to })}#convert`}>
          Another amount
        </Link>
      </div>
    </div>
  )
}
