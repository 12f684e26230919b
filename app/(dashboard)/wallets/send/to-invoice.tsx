import { Alert } from '@/components/ui/alert'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { previewPayment } from '@/lib/payments/preview'
import { recentReceivers } from '@/lib/quotes/queries'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam } from '@/lib/web/search-params'
import { CannotPay } from '../cannot-pay'
import { PAY_INVOICE_ERRORS } from './errors'
import { PaymentPreview } from './payment-preview'
import { Recents } from './recents'
import { AmountForm, ConfirmForm, PasteForm, type SendProps } from './send-forms'

/** The form for pasting an invoice, then the cost of a Lightning invoice or a field for its amount. */
export async function ToInvoice({ username, pasted, typed }: SendProps) {
  const current = application()
  const now = current.clock.now()
  const amount = singleParam(typed.amount)
  const { amount: amountError, form = amountError } = readFormError(
    { ...PAY_INVOICE_ERRORS, ...commaErrors('amount', amount, 'Nothing was paid.') },
    singleParam(typed.error),
  )
  if (pasted === '')
    return (
      <>
        <PasteForm pasted={singleParam(typed.try) ?? ''} error={form} />
        <Recents recents={await recentReceivers(current.db, username)} now={now} />
      </>
    )
  const preview = await previewPayment(current, username, pasted, amount)
  switch (preview.kind) {
    case 'ready':
      return (
        <>
          {form === undefined ? null : <Alert>{form}</Alert>}
          <section aria-labelledby="preview" className="mt-6 max-w-3xl">
            <h2 id="preview">Before you pay</h2>
            <PaymentPreview
              preview={preview}
              now={now}
              ourNode={preview.payee === current.node.identity.publicKeyHex ? current.settings.vaspName : undefined}
            />
            <ConfirmForm preview={preview} amount={amount} />
          </section>
        </>
      )
    case 'needs-amount':
      return (
        <AmountForm invoice={preview.invoice} description={preview.description} amount={amount ?? ''} error={form} />
      )
    case 'problem': {
      // The current state of the invoice explains more than the error of the refused form.
      if (preview.isOfAmount === true)
        return <AmountForm invoice={pasted} description={null} amount={amount ?? ''} error={preview.message} />
      const wallets = preview.lacks === true ? await readWallets(current.db, username) : []
      return (
        <>
          <PasteForm pasted={pasted} error={preview.message} />
          {wallets[0] === undefined ? null : <CannotPay wallets={wallets} code={wallets[0].code} />}
        </>
      )
    }
  }
}
