import { Alert } from '@/components/ui/alert'
import { DescriptionItem } from '@/components/ui/description-item'
import { Expiry } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { formatUnits } from '@/lib/money/format'
import { previewUmaInvoice } from '@/lib/quotes/uma-invoice'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam } from '@/lib/web/search-params'
import { protocolInWords } from '@/lib/web/words'
import { QUOTE_ERRORS } from './errors'
import { GetQuote, PasteForm, Recipient, WalletSelect, type SendProps } from './send-forms'

/** The amount of a UMA invoice, and the form that requests a quote. */
export async function ToUmaInvoice({ username, pasted, typed }: SendProps) {
  const current = application()
  const [found, wallets] = await Promise.all([
    previewUmaInvoice(current, username, pasted),
    readWallets(current.db, username),
  ])
  if (found.kind === 'problem') return <PasteForm pasted={pasted} error={found.message} />
  const { receiver, protocol, invoice } = found.payable
  const errors = readFormError(QUOTE_ERRORS, singleParam(typed.error))
  return (
    <>
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
      <section aria-labelledby="receiver" className="mt-6 max-w-3xl">
        <Recipient address={receiver.text} />
        <dl className="mt-4">
          <DescriptionItem term="UMA invoice">{protocolInWords(protocol, receiver.domain)}</DescriptionItem>
          <DescriptionItem term="They receive">
            <span className="figures">
              {formatUnits(invoice.amount, invoice.currency.decimals)} {invoice.currency.code}
            </span>
          </DescriptionItem>
          <DescriptionItem term="Valid until">
            <Expiry at={new Date(invoice.expiresAtSeconds * 1000)} now={current.clock.now()} />
          </DescriptionItem>
        </dl>
        <UserForm action="/wallets/send/uma" busy={`Asking ${receiver.domain} …`} className="mt-6 grid max-w-md gap-5">
          <input type="hidden" name="invoice" value={pasted} />
          <WalletSelect wallets={wallets} chosen={singleParam(typed.wallet)} error={errors.wallet} />
          <GetQuote />
        </UserForm>
      </section>
    </>
  )
}
