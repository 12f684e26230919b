import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, vi } from 'vitest'
import { MemoHeading } from '@/components/memo-heading'
import { Records } from '@/components/tlv-records'
import { InvoiceRow } from './invoices/invoice-row'
import { titleOf } from './page-title'
import { AmountForm } from './wallets/send/send-forms'

vi.mock(import('@/components/user-form'), () => ({ UserForm: () => null }) as never)

const HIDDEN = /[\u200b\u2028\u202e\u2066\u3164\ufeff]/u
const memo = 'Pay\u200b \u202eeciffo\u2066\u2028 \u3164now\ufeff'
const shown = 'Pay eciffo now'

describe('a memo of another party is shown without hidden characters', () => {
  it('in the sentence of an invoice without an amount', () => {
    const page = renderToStaticMarkup(<AmountForm invoice="lnbcrt1" description={memo} amount="" error={undefined} />)
    expect(page).toContain(`>${shown}</q> has no amount`)
    expect(page).not.toMatch(HIDDEN)
  })

  it('in a heading and a title', () => {
    expect(renderToStaticMarkup(<MemoHeading memo={memo} otherwise="Invoice" />)).toContain(`>${shown}</h1>`)
    expect(titleOf('Invoice', 'ab', memo)).toEqual({ title: `Invoice: ${shown}` })
  })

  it('in a list', () => {
    const invoice = { invoice: 'x', description: memo, payerAddress: null, paymentHash: 'ab', amountMsats: null }
    const rest = { settledAt: null, expiresAt: null, credited: null, state: 'open' }
    const page = renderToStaticMarkup(<InvoiceRow invoice={{ ...invoice, ...rest } as never} now={new Date(0)} />)
    expect(page).toContain(shown)
    expect(page).not.toMatch(HIDDEN)
  })

  it.each([
    ['Grüße 👩🏽\u200d🚀', 'Grüße 👩🏽\u200d🚀'],
    ['\u3164', 'e385a4'],
    ['a\u202eb', '61e280ae62'],
  ])('as the record of a keysend, which is text only when all of it is visible: %j', (text, as) => {
    const value = Buffer.from(text).toString('hex')
    expect(renderToStaticMarkup(<Records records={[{ type: 34_349_334, value }]} />)).toContain(as)
  })
})
