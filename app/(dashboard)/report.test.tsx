import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { InvoiceCard } from '@/lib/invoices/queries'
import type { PaymentCard } from '@/lib/payments/queries'
import { InvoiceDetails } from './invoices/[hash]/invoice-details'
import { PaymentDetails } from './wallets/sent/[hash]/payment-details'

const at = new Date('2026-11-26T12:00:00Z')
const paymentHash = 'ab'.repeat(32)

const payment: PaymentCard = {
  quoteId: null,
  paymentHash,
  invoice: 'lnbcrt1',
  description: null,
  receiverAddress: null,
  amountMsats: 5_000n,
  feeMsats: 0n,
  feeLimitMsats: 0n,
  walletCode: 'SAT',
  debit: 5_000n,
  state: 'succeeded',
  sent: false,
  peer: null,
  failure: null,
  metadata: null,
  connection: null,
  preimage: null,
  createdAt: at,
  settledAt: at,
  expired: false,
  isCallbackGivenUp: false,
  moves: [],
}
const invoice: InvoiceCard = {
  paymentHash,
  invoice: 'lnbcrt1',
  amountMsats: 5_000n,
  currencyCode: 'SAT',
  description: null,
  state: 'paid',
  createdAt: at,
  expiresAt: at,
  settledAt: at,
  paidFrom: null,
  payerAddress: '$erika@bank.example',
  metadata: null,
  credited: 5_000n,
  isCallbackGivenUp: false,
  preimage: null,
}

describe('A callback that was given up', () => {
  test.each([
    [
      'sent',
      'The receiver’s VASP was not told',
      (isCallbackGivenUp: boolean) => <PaymentDetails payment={{ ...payment, isCallbackGivenUp }} quote={undefined} />,
    ],
    [
      'received',
      'The sender’s VASP was not told',
      (isCallbackGivenUp: boolean) => <InvoiceDetails invoice={{ ...invoice, isCallbackGivenUp }} now={at} />,
    ],
  ])('is named on the page of the %s payment, and no other callback is', (_, sentence, show) => {
    expect(renderToStaticMarkup(show(true))).toContain(sentence)
    expect(renderToStaticMarkup(show(false))).not.toContain('VASP')
  })
})
