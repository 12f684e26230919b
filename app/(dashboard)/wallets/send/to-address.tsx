import Link from 'next/link'
import { Guilloche } from '@/components/ui/identicon'
import type { WalletAccount } from '@/lib/ledger/accounts'
import { formatUnits } from '@/lib/money/format'
import type { Receiver } from '@/lib/uma/counterparty'
import { ACTIONS } from '@/lib/ui/actions'
import { Choice, walletChoices } from '@/components/ui/select'
import { Fact } from '@/components/ui/description-item'
import { Field } from '@/components/ui/field'
import { protocolInWords } from '@/lib/ui/words'
import { PersonForm } from '@/components/user-form'

/** What was typed before an error. */
export interface TypedQuote {
  readonly amount: string
  readonly side: 'sending' | 'receiving'
  readonly wallet: string | undefined
  readonly currency: string | undefined
  readonly comment: string
  /** What is wrong, and with which field. */
  readonly problem: { readonly of: 'amount' | 'wallet' | 'currency'; readonly text: string } | undefined
}

interface Props {
  readonly receiver: Receiver
  readonly wallets: readonly WalletAccount[]
  readonly typed: TypedQuote
}

/** Who was found at an address, and the form that asks for a price. */
export function ToAddress({ receiver, wallets, typed }: Props) {
  const { address, currencies, commentLength } = receiver
  const problemOf = (field: string): string | undefined =>
    typed.problem?.of === field ? typed.problem.text : undefined
  return (
    <section aria-labelledby="receiver" className="mt-6 max-w-3xl">
      <h2 id="receiver" className="flex items-center gap-x-4">
        <Guilloche of={address.text} size={48} />
        <span className="min-w-0 break-words">{address.text}</span>
      </h2>
      <dl className="mt-4">
        <Fact name="Found by">{protocolInWords(receiver.protocol, address.domain)}</Fact>
        <Fact name="Takes">
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
        </Fact>
      </dl>
      <PersonForm action={ACTIONS.askQuote} className="line grid gap-5 pt-6 *:max-w-md">
        <input type="hidden" name="to" value={address.text} />
        <Field
          label="Amount"
          name="amount"
          value={typed.amount}
          inputMode="decimal"
          problem={problemOf('amount')}
          hint="In their currency or in yours, as you choose below."
        />
        <fieldset className="grid gap-1">
          <legend className="label">This amount is</legend>
          <Side value="receiving" chosen={typed.side}>
            what they get, to the last unit
          </Side>
          <Side value="sending" chosen={typed.side}>
            what leaves your wallet, fees included
          </Side>
        </fieldset>
        <Choice label="They get it in" name="currency" chosen={typed.currency} problem={problemOf('currency')}>
          {currencies.map(({ code, name }) => [code, `${code}, ${name}`])}
        </Choice>
        <Choice label="From the wallet" name="wallet" chosen={typed.wallet} problem={problemOf('wallet')}>
          {walletChoices(wallets)}
        </Choice>
        {commentLength === 0 ? null : (
          <Field
            label="Comment"
            name="comment"
            value={typed.comment}
            maxLength={commentLength}
            required={false}
            hint="They read it with the payment."
          />
        )}
        <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
          <button className="button button-main">See the price</button>
          <Link prefetch={false} className="tap" href="/wallets/send">
            Somebody else
          </Link>
        </p>
        <p className="label">Nothing is paid yet: you see the price first, and it holds for some minutes.</p>
      </PersonForm>
    </section>
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
