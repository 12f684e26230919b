import { readAmount } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { exchange, findConversion, priceConversion } from '@/lib/wallets/service'
import { userForm } from '@/lib/web/form-handler'
import { conversionProblem } from '../conversion-problem'
import { isExpired, previewAddress, PriceFields } from '../preview-address'

/**
 * Books a conversion at the price that the user has seen, once. An expired price, and one that the current rate no longer gives,
 * is shown again with the current figures. The id stays, so that a form sent twice is booked once even then.
 */
export const POST = userForm(
  PriceFields,
  async ({ app, username, fields: price }) => {
    const { from, to, amount: typed, gives, id } = price
    const amount = readAmount(typed, from)
    if (typeof amount === 'string') return { field: 'amount', code: amount }
    const request = { username, from, to, amount }
    const booked = `/wallets/${to}?converted=${id}`
    const isBooked = async (): Promise<boolean> => (await findConversion(app.db, username, id)) !== undefined
    const askAgain = async (why: 'expired' | 'changed'): Promise<Response> => {
      if (await isBooked()) return seeOther(booked)
      const { arrives } = await priceConversion(app, request)
      return seeOther(previewAddress(app, { from, to, amount: typed, gives: arrives, id }, why))
    }
    try {
      if (isExpired(app, price)) return await askAgain('expired')
      await exchange(app, { ...request, requestId: id, agreed: gives })
      return seeOther(booked)
    } catch (error) {
      if (!isVaspError(error) || error.status !== 400) throw error
      // The first of two submissions may have been booked in the meantime.
      if (await isBooked()) return seeOther(booked)
      return error.options.isPriceChanged === true ? askAgain('changed') : conversionProblem(error)
    }
  },
  ({ from }) => `/wallets/${from}`,
)
