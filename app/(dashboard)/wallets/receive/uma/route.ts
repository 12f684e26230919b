import { z } from 'zod'
import { RequestId, userForm } from '@/lib/web/form-handler'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { readUnits } from '@/lib/money/format'
import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/responses'
import { parseAddress } from '@/lib/uma/address'
import { createUmaInvoice } from '@/lib/uma/invoices/create'
import { requestProblem } from '@/lib/uma/invoices/request-problem'
import { sendUmaRequest } from '@/lib/uma/invoices/send-request'
import { MAX_FIELD_BYTES } from '@/lib/uma/invoices/tlv'
import { requestError } from '../errors'

const DAY_SECONDS = 86_400

const UmaInvoice = z.object({
  'uma-currency': z.string(),
  'uma-amount': z.string().default(''),
  /** Absent when any payer may pay the invoice. */
  payer: z.string().trim().refine(isUmaAddress, 'invalid').optional(),
  request_id: RequestId,
})

/** Creates a UMA invoice. With a payer's address, only that payer may pay it, and their provider receives it as a request. */
export const POST = userForm(
  UmaInvoice,
  async ({ app, username, fields }) => {
    const { payer, request_id: requestId } = fields
    const code = (await readWallets(app.db, username)).find((wallet) => wallet.code === fields['uma-currency'])?.code
    if (code === undefined) return { field: 'uma-currency', code: 'unknown' }
    const amount = readUnits(fields['uma-amount'], currencyOf(code).decimals)
    if (typeof amount === 'string') return { field: 'uma-amount', code: amount }
    const wanted = { username, code, amount, expirySeconds: DAY_SECONDS, requestId }
    try {
      const { uuid } = await app.limits.runOutbound(username, () =>
        payer === undefined ? createUmaInvoice(app, wanted) : sendUmaRequest(app, { ...wanted, sender: payer }),
      )
      return seeOther(`/invoices/uma/${uuid}`)
    } catch (error) {
      const problem = isVaspError(error) ? requestProblem(error) : undefined
      if (problem === undefined) throw error
      return requestError(problem, requestId)
    }
  },
  '/wallets/receive',
)

function isUmaAddress(text: string): boolean {
  try {
    return parseAddress(text).isUma && text.length <= MAX_FIELD_BYTES
  } catch (error) {
    if (isVaspError(error)) return false
    throw error
  }
}
