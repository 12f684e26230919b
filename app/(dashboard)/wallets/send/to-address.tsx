import { Alert } from '@/components/ui/alert'
import { DescriptionItem } from '@/components/ui/description-item'
import { Field, Select } from '@/components/ui/field'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { formatUnits } from '@/lib/money/format'
import { resolveReceiver } from '@/lib/quotes/resolve-receiver'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam } from '@/lib/web/search-params'
import { protocolInWords } from '@/lib/web/words'
import { QUOTE_ERRORS } from './errors'
import { withQuoted } from './quoted'
import { GetQuote, PasteForm, Recipient, WalletSelect, type SendProps } from './send-forms'

/** The receiver at an address, and the form that requests a quote. */
export async function ToAddress({ username, pasted, typed }: SendProps) {
  const current = application()
  const [found, wallets] = await Promise.all([
    resolveReceiver(current, username, pasted),
    readWallets(current.db, username),
  ])
  if (found.kind === 'problem') return <PasteForm pasted={pasted} error={found.message} />
  const { address, protocol, currencies, commentLength } = found.receiver
  const errors = await withQuoted(
    current,
    username,
    readFormError(
      { ...QUOTE_ERRORS, ...commaErrors('amount', singleParam(typed.amount), 'Nothing was paid.') },
      singleParam(typed.error),
    ),
  )
  const side = singleParam(typed.side) === 'sending' ? 'sending' : 'receiving'
  return (
    <>
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
      <section aria-labelledby="receiver" className="mt-6 max-w-3xl">
        <Recipient address={address.text} />
        <dl className="mt-4">
          <DescriptionItem term="Verified by">{protocolInWords(protocol, address.domain)}</DescriptionItem>
          <DescriptionItem term="Accepts">
            <ul>
              {currencies.map(({ code, name, min, max, decimals }) => (
                <li key={code}>
                  {name},{' '}
                  <span className="figures">
                    {formatUnits(min, decimals)} to {formatUnits(max, decimals)} {code}
                  </span>
                </li>
              ))}
            </ul>
          </DescriptionItem>
        </dl>
        <UserForm
          action="/wallets/send/quote"
          busy={`Asking ${address.domain} …`}
          className="line grid gap-5 pt-6 *:max-w-md"
        >
          <input type="hidden" name="invoice" value={address.text} />
          <Field
            label="Amount"
            name="amount"
            value={singleParam(typed.amount) ?? ''}
            inputMode="decimal"
            required
            error={errors.amount}
            hint="In the currency you choose below: theirs or yours."
          />
          <fieldset className="grid gap-1">
            <legend className="label">This amount is</legend>
            <Side value="receiving" chosen={side}>
              exactly what they receive
            </Side>
            <Side value="sending" chosen={side}>
              what you pay, including fees
            </Side>
          </fieldset>
          <Select
            label="They receive"
            name="currency"
            chosen={singleParam(typed.currency)}
            error={errors.currency}
            options={currencies.map(({ code, name }) => [code, `${code}, ${name}`])}
          />
          <WalletSelect wallets={wallets} chosen={singleParam(typed.wallet)} error={errors.wallet} />
          {commentLength === 0 ? null : (
            <Field
              label="Comment"
              name="comment"
              value={singleParam(typed.comment) ?? ''}
              maxLength={commentLength}
              error={errors.comment}
              hint="They see this with the payment."
            />
          )}
          <GetQuote />
          <p className="label">You see the price before you pay. It is held for 10 minutes.</p>
        </UserForm>
      </section>
    </>
  )
}

interface SideProps {
  readonly value: 'sending' | 'receiving'
  readonly chosen: string
  readonly children: string
}

function Side({ value, chosen, children }: SideProps) {
  return (
    <label className="tap gap-x-2">
      <input
        type="radio"
        name="side"
        value={value}
        defaultChecked={value === chosen}
        className="size-4 accent-accent"
      />
      {children}
    </label>
  )
}
