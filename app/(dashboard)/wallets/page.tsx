import type { Metadata } from 'next'
import { LearnZone } from '@/components/learn-zone'
import { LivePage } from '@/components/live-page'
import { pageZone, ZONE_COOKIE } from '@/components/page-zone'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { listOpenPayments } from '@/lib/payments/queries'
import { listWallets } from '@/lib/wallets/queries'
import { zoneInWords } from '@/lib/web/time'
import { requireUser } from '../require-user'
import { PendingPayments } from './pending-payments'
import { WalletBlock } from './wallet-block'

export const metadata: Metadata = { title: 'Wallets' }

export default async function WalletsPage() {
  const user = await requireUser()
  const current = application()
  const [wallets, pending] = await Promise.all([
    listWallets(current.db, user.username, current.rates.current().rateOf),
    listOpenPayments(current.db, user.username),
  ])
  // The first wallet is the user's default: payments try it first, and the others are valued in it.
  const [first] = wallets
  return (
    <div className="py-4 md:py-8">
      <LearnZone cookie={ZONE_COOKIE} />
      <LivePage kinds={['payment', 'invoice', 'wallet']} />
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <h1>Wallets</h1>
        <p className="flex items-center gap-3">
          <Link className="button" href="/wallets/receive">
            Receive
          </Link>
          <Link className="button button-main" href="/wallets/send">
            Send
          </Link>
        </p>
      </div>
      <PendingPayments payments={pending} now={current.clock.now()} />
      {first === undefined ? (
        <p className="line py-10 font-serif text-xl">You have no wallet.</p>
      ) : (
        wallets.map((wallet) => (
          <WalletBlock
            key={wallet.currency.code}
            wallet={wallet}
            address={user.address}
            defaultCode={first.currency.code}
            faucet={current.settings.sandboxTools}
          />
        ))
      )}
      <div className="double-rule" />
      <p className="mt-3 max-w-2xl text-muted">
        Payments come from the first wallet above with enough money.{' '}
        <Link href="/settings">Choose the default wallet</Link>. All times are {zoneInWords(pageZone())}.
      </p>
    </div>
  )
}
