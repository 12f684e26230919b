import Link from 'next/link'
import { Amount } from '@/app/_components/amount'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { dateAndTime } from '@/lib/look/time'
import { Expiry } from './expiry'
import { Fact } from './fact'

/** What an invoice says, and what became of it. */
export function InvoiceFacts({ invoice, now }: { readonly invoice: InvoiceCard; readonly now: Date }) {
  const { amountMsats, currencyCode, createdAt, expiresAt, settledAt, state, paymentHash } = invoice
  return (
    <dl>
      <Fact name="Amount">
        {amountMsats === null ? 'the payer chooses' : <Amount units={amountMsats} code="SAT" />}
      </Fact>
      <Fact name="Into the wallet">
        <Link className="row-link" href={`/wallets/${currencyCode}`}>
          {currencyCode}
        </Link>
      </Fact>
      <Fact name="Made">
        <When at={createdAt} />
      </Fact>
      {settledAt === null ? (
        <Fact name={state === 'expired' ? 'Expired' : 'Expires'}>
          {state === 'expired' ? <When at={expiresAt} /> : <Expiry at={expiresAt} now={now} />}
        </Fact>
      ) : (
        <Fact name="Paid">
          <When at={settledAt} />
        </Fact>
      )}
      <Fact name="Payment hash">
        <code>{paymentHash}</code>
      </Fact>
    </dl>
  )
}

function When({ at }: { readonly at: Date }) {
  return <time dateTime={at.toISOString()}>{dateAndTime(at)}</time>
}
