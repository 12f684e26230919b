import Link from 'next/link'
import { Guilloche } from '@/components/ui/identicon'
import type { WalletAccount } from '@/lib/ledger/accounts'
import { formatUnits } from '@/lib/money/format'
import type { PayableUmaInvoice } from '@/lib/uma/uma-invoices/pay'
import { ACTIONS } from '@/lib/ui/actions'
import { Choice, walletChoices } from '@/components/ui/select'
import { Expiry } from '@/components/ui/expiry'
import { Fact } from '@/components/ui/description-item'
import { protocolInWords } from '@/lib/ui/words'
import { PersonForm } from '@/components/user-form'

interface Props {
  readonly payable: PayableUmaInvoice
  readonly encoded: string
  readonly wallets: readonly WalletAccount[]
  readonly wallet: string | undefined
  /** What is wrong with the wallet. */
  readonly problem: string | undefined
  readonly now: Date
}

/** What a UMA invoice asks for, and the form that asks what it costs. */
export function UmaInvoiceForm({ payable, encoded, wallets, wallet, problem, now }: Props) {
  const { receiver, protocol, invoice } = payable
  const { currency } = invoice
  return (
    <section aria-labelledby="receiver" className="mt-6 max-w-3xl">
      <h2 id="receiver" className="flex items-center gap-x-4">
        <Guilloche of={receiver.text} size={48} />
        <span className="min-w-0 break-words">{receiver.text}</span>
      </h2>
      <dl className="mt-4">
        <Fact name="UMA invoice">{protocolInWords(protocol, receiver.domain)}</Fact>
        <Fact name="They get">
          <span className="figures">
            {formatUnits(invoice.amount, currency.decimals)} {currency.code}
          </span>
        </Fact>
        <Fact name="Can be paid until">
          <Expiry at={new Date(invoice.expiresAtSeconds * 1000)} now={now} />
        </Fact>
      </dl>
      <PersonForm action={ACTIONS.quoteUmaInvoice} className="mt-6 grid max-w-md gap-5">
        <input type="hidden" name="invoice" value={encoded} />
        <Choice label="From the wallet" name="wallet" chosen={wallet} problem={problem}>
          {walletChoices(wallets)}
        </Choice>
        <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
          <button className="button button-main">See the price</button>
          <Link prefetch={false} className="tap" href="/wallets/send">
            Somebody else
          </Link>
        </p>
      </PersonForm>
    </section>
  )
}
