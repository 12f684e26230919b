import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { MOVABLE_CODES, PRICE_STEPS } from '@/lib/money/bitcoin-price'
import { currencyOf } from '@/lib/money/currencies'
import { formatUnits, readUnits } from '@/lib/money/format'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { pinnedRatesOf } from '@/lib/sandbox/for-pages'

const Change = z.object({
  /** A number moves the price by that many percent. */
  do: z.enum(['pin', 'unpin', 'unpin-all', ...PRICE_STEPS.map(String)]),
  currency: z.enum(MOVABLE_CODES),
  price: z.string().default(''),
})

/** Pins, moves or unpins the price of one bitcoin for all users. */
export const POST = sandboxForm(
  Change,
  async ({ app, fields: { do: task, currency: code, price } }) => {
    const { events } = app
    const pinnedRates = pinnedRatesOf(app)
    if (pinnedRates === undefined) return plainText(404, 'Not found.')
    const record = (name: string, summary: string): void => events.record({ kind: 'wallet', name, summary })
    if (task === 'unpin-all') {
      await pinnedRates.unpin()
      record('rates unpinned', 'all currencies')
      return seeOther('/sandbox?rate=all#rates')
    }
    if (task === 'unpin') {
      await pinnedRates.unpin(code)
      record('rates unpinned', code)
      return seeOther(`/sandbox?rate=${code}#rates`)
    }
    const { decimals } = currencyOf(code)
    const step = PRICE_STEPS.find((percent) => String(percent) === task)
    const units = step === undefined ? readUnits(price, decimals) : undefined
    if (typeof units === 'string') return { field: 'price', code: units }
    const isChanged = step === undefined ? await pinnedRates.pin(code, units ?? 0n) : await pinnedRates.move(code, step)
    if (!isChanged) return { field: 'price', code: 'range' }
    const pinned = pinnedRates.list().find((rate) => rate.code === code)?.currentUnits ?? 0n
    record('rate pinned', `1 bitcoin is ${formatUnits(pinned, decimals)} ${code}`)
    return seeOther(`/sandbox?rate=${code}#rates`)
  },
  '/sandbox',
)
