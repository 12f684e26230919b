import { Success } from '@/components/ui/alert'
import { Field, Select } from '@/components/ui/field'
import { UserForm } from '@/components/user-form'
import { PRICE_STEPS, priceRange, type MovableCode } from '@/lib/money/bitcoin-price'
import { currencyOf } from '@/lib/money/currencies'
import { formatUnits } from '@/lib/money/format'
import type { MovableRate } from '@/lib/sandbox/pinned-rates'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'

interface Props {
  readonly rates: readonly MovableRate[]
  /** The currency that was just changed, or `all`. */
  readonly changed: string | undefined
  /** What the user chose and typed before an error. */
  readonly currency: string | undefined
  readonly price: string
  readonly error: string | undefined
}

const figures = (units: bigint, code: MovableCode): string => formatUnits(units, currencyOf(code).decimals)
const priceText = (units: bigint, code: MovableCode): string => `${figures(units, code)} ${code}`

/** The price of one bitcoin in each currency, and the form that changes it for everyone. */
export function RatesSection({ rates, changed, currency, price, error }: Props) {
  const chosen = rates.find(({ code }) => code === (currency ?? changed)) ?? rates[0]
  if (chosen === undefined) return null
  const { min, max } = priceRange(chosen.code)
  const errors = readFormError(
    {
      'price.invalid': `Type a price in ${chosen.code}, such as ${figures(chosen.listedUnits, chosen.code)}.`,
      ...commaErrors('price', price, 'Nothing was changed.'),
      'price.range': `The price must be between ${priceText(min, chosen.code)} and ${priceText(max, chosen.code)}. Nothing was changed.`,
    },
    error,
  )
  const hasPins = rates.some(({ isPinned }) => isPinned)
  return (
    <section aria-labelledby="rates" className="mt-12">
      <h2 id="rates" className="scroll-mt-32">
        Rates
      </h2>
      <p className="mt-2 max-w-2xl text-muted">
        The price of one bitcoin. A pinned price replaces the listed one for everyone, at once. A quote keeps the rates
        at which it was created.
      </p>
      <Outcome rates={rates} changed={changed} />
      <ul className="mt-3">
        {rates.map(({ code, listedUnits, currentUnits, isPinned }) => (
          <li
            key={code}
            className="line grid grid-cols-[3rem_minmax(0,1fr)] items-baseline gap-x-4 py-2 sm:grid-cols-[3rem_14rem_minmax(0,1fr)_auto]"
            data-live={`${code} ${currentUnits}`}
          >
            <span>{code}</span>
            <span className="figures text-right">{figures(currentUnits, code)}</span>
            <span className="label max-sm:col-start-2 max-sm:text-right">
              {isPinned ? (
                <>
                  <span className="text-ochre">● Pinned</span>, listed{' '}
                  <span className="figures">{figures(listedUnits, code)}</span>
                </>
              ) : (
                'Listed rate'
              )}
            </span>
            {isPinned ? (
              <UserForm action="/sandbox/rates" className="max-sm:col-start-2 max-sm:text-right">
                <input type="hidden" name="currency" value={code} />
                <button className="button" name="do" value="unpin" aria-label={`Unpin ${code}`}>
                  Unpin
                </button>
              </UserForm>
            ) : null}
          </li>
        ))}
      </ul>
      <div className="double-rule" />
      <UserForm action="/sandbox/rates" className="mt-4 grid max-w-2xl items-start gap-4 sm:grid-cols-2">
        <Select
          label="Currency"
          name="currency"
          chosen={chosen.code}
          options={rates.map(({ code }) => [code, `${code}, ${currencyOf(code).name}`])}
        />
        <Field
          label="Price of one bitcoin"
          name="price"
          value={price}
          error={errors.price}
          hint="Between a tenth of the listed price and ten times it, and at most 500,000,000 NGN."
          inputMode="decimal"
        />
        <p className="actions sm:col-span-2">
          <button className="button button-main" name="do" value="pin">
            Pin the price
          </button>
          {PRICE_STEPS.map((percent) => (
            <button key={percent} className="button" name="do" value={percent}>
              {percent < 0 ? `−${-percent}` : `+${percent}`} %
            </button>
          ))}
          {hasPins ? (
            <button className="button" name="do" value="unpin-all">
              Unpin all
            </button>
          ) : null}
        </p>
      </UserForm>
    </section>
  )
}

function Outcome({ rates, changed }: Pick<Props, 'rates' | 'changed'>) {
  if (changed === 'all' && rates.every(({ isPinned }) => !isPinned))
    return <Success>All currencies have their listed rates.</Success>
  const rate = rates.find(({ code }) => code === changed)
  if (rate === undefined) return null
  const { code, currentUnits, isPinned } = rate
  return (
    <Success>
      {isPinned ? `1 bitcoin is pinned at ${priceText(currentUnits, code)}.` : `${code} has its listed rate.`}
    </Success>
  )
}
