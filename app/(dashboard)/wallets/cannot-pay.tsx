import { Amount } from '@/components/ui/amount'
import { application } from '@/lib/backend/application'
import type { WalletAccount } from '@/lib/ledger/accounts'
import type { CurrencyCode } from '@/lib/money/currencies'

interface Props {
  readonly wallets: readonly WalletAccount[]
  /** The wallet that would pay. */
  readonly code: CurrencyCode
  /** The required balance, in ledger units; unknown when any wallet may pay. */
  readonly debit?: bigint
  /** The form to choose another wallet, if there is one. */
  readonly otherWallet?: string
}

/** Replaces the button when the wallet cannot cover the payment: shows the balance and the ways to add money. */
export function CannotPay({ wallets, code, debit, otherWallet }: Props) {
  const wallet = wallets.find((each) => each.code === code)
  const from = wallets.find((each) => each.code !== code && each.available > 0n)
  return (
    <div className="mt-6">
      {debit === undefined || wallet === undefined ? null : (
        <p role="alert" className="max-w-2xl border-l-2 border-red pl-3">
          You have <Amount units={wallet.available} code={code} />. This payment needs{' '}
          <Amount units={debit} code={code} />.
        </p>
      )}
      <p className="mt-4 flex flex-wrap gap-3">
        {application().settings.sandboxTools ? (
          <a className="button button-sandbox" href={`/wallets/${code}#faucet`}>
            Add test money to {code}
          </a>
        ) : null}
        {from === undefined ? null : (
          <a className="button" href={`/wallets/${from.code}?to=${code}#convert`}>
            Convert {from.code} to {code}
          </a>
        )}
        {otherWallet === undefined || wallets.length < 2 ? null : (
          <a className="button" href={otherWallet}>
            Choose another wallet
          </a>
        )}
      </p>
    </div>
  )
}
