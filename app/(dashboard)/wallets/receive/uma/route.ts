import { z } from 'zod'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { readUnits } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { RequestId, umaInvoiceForm } from '@/lib/web/form-handler'
import { requestError } from '../errors'

const DAY_SECONDS = 86_400

const UmaInvoice = z.object({
  'uma-currency': z.string(),
  'uma-amount': z.string().default(''),
  /** Absent when any payer may pay the invoice. */
  payer: z.string().trim().optional(),
  request_id: RequestId,
})

/** Creates a UMA invoice. With a payer's address, only that payer may pay it, and their provider receives it as a request. */
export const POST = umaInvoiceForm(
  UmaInvoice,
  async ({ app, umaInvoices, username, fields }) => {
    const { payer, request_id: requestId } = fields
    if (payer !== undefined && !umaInvoices.isPayerAddress(payer)) return { field: 'payer', code: 'invalid' }
    const code = (await readWallets(app.db, username)).find((wallet) => wallet.code === fields['uma-currency'])?.code
    if (code === undefined) return { field: 'uma-currency', code: 'unknown' }
    const amount = readUnits(fields['uma-amount'], currencyOf(code).decimals)
    if (typeof amount === 'string') return { field: 'uma-amount', code: amount }
    const wanted = { username, code, amount, expirySeconds: DAY_SECONDS, requestId }
    try {
      const { uuid } = await app.limits.runOutbound(username, () =>
        payer === undefined
          ? umaInvoices.createUmaInvoice(app, wanted)
          : umaInvoices.sendUmaRequest(app, { ...wanted, sender: payer }),
      )
      return seeOther(`/invoices/uma/${uuid}`)
    } catch (error) {
      const problem = isVaspError(error) ? umaInvoices.requestProblem(error) : undefined
      if (problem === undefined) throw error
      return requestError(problem, requestId)
    }
  },
  '/wallets/receive?tab=uma',
)
