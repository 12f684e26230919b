import { z } from 'zod'
import { readWallets } from '@/lib/ledger/accounts'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { priceProblem } from '@/lib/quotes/errors'
import { previewUmaInvoice, quoteUmaInvoice } from '@/lib/quotes/uma-invoice'
import { umaInvoiceForm } from '@/lib/web/form-handler'
import { priceError } from '../errors'

const UmaInvoiceForm = z.object({ invoice: z.string().trim(), wallet: z.string() })

/** Gets a quote for a UMA invoice and shows it. Nothing is reserved. */
export const POST = umaInvoiceForm(
  UmaInvoiceForm,
  async ({ app, username, fields }) => {
    const wallet = (await readWallets(app.db, username)).find(({ code }) => code === fields.wallet)
    if (wallet === undefined) return { field: 'wallet', code: 'unknown' }
    const found = await previewUmaInvoice(app, username, fields.invoice)
    // The page decodes the invoice again and shows what is wrong.
    if (found.kind === 'problem') return { code: 'receiver' }
    try {
      const { paymentHash } = await quoteUmaInvoice(app, { username, wallet, payable: found.payable })
      return seeOther(`/wallets/quotes/${paymentHash}`)
    } catch (error) {
      if (isVaspError(error) && error.status < 500) return priceError(priceProblem(error, 'uma'))
      throw error
    }
  },
  '/wallets/send',
)
