import type { ReactNode } from 'react'
import { NodeName } from '@/components/node-name'
import { Amount } from '@/components/ui/amount'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { currencyOf } from '@/lib/money/currencies'
import { formatUnits } from '@/lib/money/format'
import type { PaymentCard } from '@/lib/payments/queries'
import { usernameIn } from '@/lib/payments/receive'
import type { Quote } from '@/lib/quotes/types'
import { protocolInWords } from '@/lib/web/words'

const TAKEN = { succeeded: 'You paid', pending: 'Reserved', failed: 'You paid' } as const
const PROMISED = { succeeded: 'They received', pending: 'They will receive', failed: 'They received' } as const

interface Props {
  readonly payment: PaymentCard
  /** The quote of a payment to an address. */
  readonly quote: Quote | undefined
  /** The payer's own address. */
  readonly address: string
}

/** The payer with the debit, and the payee with the credit. */
export function Sides({ payment, quote, address }: Props) {
  const { state, walletCode } = payment
  const failed = state === 'failed'
  return (
    <div className="mt-6 grid gap-x-12 gap-y-6 md:grid-cols-2">
      <Side title="From" what={TAKEN[state]} amount={<Amount units={failed ? 0n : payment.debit} code={walletCode} />}>
        <span className="block break-words">{address}</span>
        <Link className="row-link" href={`/wallets/${walletCode}`}>
          {currencyOf(walletCode).name} wallet
        </Link>
      </Side>
      {quote === undefined ? (
        <Side
          title="To"
          what={PROMISED[state]}
          amount={<Amount units={failed ? 0n : payment.amountMsats} code="SAT" />}
        >
          <Payee payment={payment} />
        </Side>
      ) : (
        <Side title="To" what={PROMISED[state]} amount={<Promised quote={quote} failed={failed} />}>
          <span className="block break-words">{quote.receiverAddress}</span>
          {protocolInWords(quote.protocol, quote.receiverAddress.split('@')[1] ?? '')}
        </Side>
      )}
    </div>
  )
}

function Promised({ quote, failed }: { readonly quote: Quote; readonly failed: boolean }) {
  const { decimals, code } = quote.receivingCurrency
  return (
    <span className="figures whitespace-nowrap">
      {formatUnits(failed ? 0n : quote.totalReceivingAmount, decimals)} {code}
    </span>
  )
}

function Payee({ payment: { peer, metadata } }: { readonly payment: PaymentCard }) {
  const { node, settings } = application()
  const name = metadata === null ? undefined : usernameIn(metadata.tlv_records)
  return (
    <>
      {peer === null ? <span className="block">a {settings.vaspName} customer</span> : null}
      {name === undefined ? null : <span className="block break-words">for the user {name}</span>}
      <NodeName publicKeyHex={peer ?? node.identity.publicKeyHex} />
    </>
  )
}

interface SideProps {
  readonly title: string
  readonly what: string
  readonly amount: ReactNode
  readonly children: ReactNode
}

function Side({ title, what, amount, children }: SideProps) {
  return (
    <section aria-label={title} className="line flex min-w-0 flex-col justify-between gap-y-3 pt-3">
      <div>
        <h2 className="label font-sans">{title}</h2>
        <div className="mt-1">{children}</div>
      </div>
      <p className="flex items-baseline justify-between gap-x-4">
        <span className="label">{what}</span>
        <span className="font-serif text-xl">{amount}</span>
      </p>
    </section>
  )
}
