import { pageZone } from '@/components/page-zone'
import { Amount } from '@/components/ui/amount'
import type { PaymentCard, PaymentMove } from '@/lib/payments/queries'
import { dateAndTime, toTheSecond } from '@/lib/web/time'

/** The ledger entries of a payment, in order, with the time and the change of the wallet. */
export function PaymentMoves({ payment }: { readonly payment: PaymentCard }) {
  const { moves, walletCode } = payment
  if (moves.length === 0) return null
  return (
    <section aria-labelledby="moves" className="mt-8">
      <h2 id="moves">What happened</h2>
      <ol className="mt-2">
        {moves.map((move) => (
          <li
            key={`${move.kind} ${move.at.toISOString()}`}
            className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[10rem_1fr_auto]"
          >
            <time className="label max-md:col-span-full" dateTime={move.at.toISOString()} title={dateAndTime(move.at)}>
              {toTheSecond(move.at, pageZone())}
            </time>
            <span className="min-w-0">
              <Words move={move} payment={payment} />
            </span>
            <span className="text-right">
              {move.available === 0n ? null : <Amount units={move.available} code={walletCode} signed />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Words({ move, payment }: { readonly move: PaymentMove; readonly payment: PaymentCard }) {
  switch (move.kind) {
    case 'hold':
      return payment.state === 'succeeded' && payment.debit === -move.available ? (
        <>Reserved</>
      ) : (
        <>Reserved, including the highest possible fee</>
      )
    case 'settle':
      return (
        <>
          Paid <Amount units={payment.debit} code={payment.walletCode} />
          {move.available > 0n ? '; the rest was returned' : ''}
        </>
      )
    case 'release':
      return <>Reservation released</>
    case 'payment':
      return <>Paid inside this VASP</>
    case 'loss':
      return <>Corrected by the operator</>
  }
}
