import { Amount } from '@/components/ui/amount'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { WalletCard } from '@/lib/wallets/queries'
import { FaucetForm } from './faucet-form'
import { Held } from './held'
import { StatementTable } from './statement-table'

interface Props {
  readonly wallet: WalletCard
  /** The owner's address. The wallet's mark is drawn from the address and the currency. */
  readonly address: string
  readonly defaultCode: CurrencyCode
  readonly faucet: boolean
}

/** One wallet as a page of a statement: the balance, then its entries. */
export function WalletBlock({ wallet, address, defaultCode, faucet }: Props) {
  const { code, name } = wallet.currency
  const heading = `wallet-${code}`
  return (
    <section aria-labelledby={heading} className="line py-7">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-4">
        <Identicon text={`${address} ${code}`} size={48} />
        <h2 id={heading} className="min-w-0 flex-1 pt-2">
          {name} <span className="label font-sans">{code}</span>
        </h2>
        <div className="md:text-right max-md:basis-full">
          <p className="font-serif text-2xl leading-none max-sm:text-[32px]" data-live={`${code} ${wallet.available}`}>
            <Amount units={wallet.available} code={code} />
          </p>
          {wallet.approxInDefault === null ? null : (
            <p className="label mt-1.5">
              about <Amount units={wallet.approxInDefault} code={defaultCode} />
            </p>
          )}
          <Held units={wallet.held} code={code} />
        </div>
      </div>
      <div className="mt-5">
        {wallet.latest.length === 0 ? (
          <p className="text-muted">No recent entries.</p>
        ) : (
          <StatementTable caption={`Latest entries in ${code}`} code={code} lines={wallet.latest} />
        )}
      </div>
      <div className="mt-4 flex flex-wrap items-center gap-x-6 gap-y-2">
        {faucet ? <FaucetForm code={code} /> : null}
        <Link className="tap" href={`/wallets/${code}`}>
          Statement and conversion<span className="sr-only"> of {code}</span>
        </Link>
      </div>
    </section>
  )
}
