import type { z } from 'zod'
import { epochSeconds } from '../clock'
import { currencyOf } from '../money/currencies'
import { toWireInteger } from '../money/convert'
import type { Quote } from '../quotes/quote'
import { QuoteReply } from './schemas'

/**
 * A quote as a gateway is told of it. Checked here, because one that would not fit must not be paid first: the gateway
 * books a payment as failed when it cannot read the answer.
 */
export function toQuoteReply(quote: Quote): z.output<typeof QuoteReply> {
  return QuoteReply.parse({
    sending_currency: currencyOf(quote.sendingCode),
    receiving_currency: quote.receivingCurrency,
    payment_hash: quote.paymentHash,
    created_at: epochSeconds(quote.createdAt),
    expires_at: epochSeconds(quote.expiresAt),
    multiplier: quote.multiplier,
    fees: toWireInteger(quote.fees),
    total_sending_amount: toWireInteger(quote.totalSendingAmount),
    total_receiving_amount: toWireInteger(quote.totalReceivingAmount),
  })
}
