import { isDescription, MAX_EXPIRY_SECONDS } from 'uma-auth-vasp'
import { z } from 'zod'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { readAmount } from '@/lib/money/format'
import { worthInMsats } from '@/lib/money/ledger-units'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { requireWallet } from '@/lib/wallets/service'
import { userForm } from '@/lib/web/form-handler'

const Invoice = z.object({
  currency: z.enum(CURRENCY_CODES),
  /** Absent when the payer chooses. */
  amount: z.string().optional(),
  description: z.string().trim().refine(isDescription, 'invalid').default(''),
  expiry: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform((text) => Math.min(Number(text), MAX_EXPIRY_SECONDS))
    .optional()
    .catch(undefined),
})

export const POST = userForm(
  Invoice,
  async ({ app, username, fields: { currency, amount: typed, description, expiry } }) => {
    const amount = typed === undefined ? undefined : readAmount(typed, currency)
    if (typeof amount === 'string') return { field: 'amount', code: amount }
    const { rateOf: rates } = app.rates.current()
    try {
      const { paymentHash } = await app.createInvoice({
        username,
        wallet: await requireWallet(app.db, username, currency),
        // Rounded up, so that the wallet gets at least the typed amount.
        amountMsats: amount === undefined ? undefined : worthInMsats(amount, currency, 'up', rates),
        rates,
        description,
        expirySeconds: expiry,
      })
      return seeOther(`/invoices/${paymentHash}`)
    } catch (error) {
      if (isVaspError(error) && error.status === 400) return { field: 'amount', code: 'invalid' }
      throw error
    }
  },
  '/wallets/receive?tab=invoice',
)
