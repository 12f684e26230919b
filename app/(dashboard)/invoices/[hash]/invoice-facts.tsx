import Link from 'next/link'
import { Instant } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { AskedAmount } from '../asked-amount'
import { Expiry } from '@/components/ui/expiry'
import { Fact } from '@/components/ui/description-item'
import { NodeName } from '@/components/node-name'

/** What an invoice says, and what became of it. */
export function InvoiceFacts({ invoice, now }: { readonly invoice: InvoiceCard; readonly now: Date }) {
  const { amountMsats, currencyCode, createdAt, expiresAt, settledAt, state, paymentHash } = invoice
  return (
    <dl>
      <Fact name="Amount">{amountMsats === null ? 'the payer chooses' : <AskedAmount invoice={invoice} />}</Fact>
      <Fact name="Into the wallet">
        <Link prefetch={false} className="row-link" href={`/wallets/${currencyCode}`}>
          {currencyCode}
        </Link>
      </Fact>
      {invoice.invoice === null ? (
        <Fact name="Kind">Keysend: sent to you without an invoice</Fact>
      ) : (
        <Fact name="Made">
          <Instant at={createdAt} />
        </Fact>
      )}
      {settledAt === null && expiresAt !== null ? (
        <Fact name={state === 'expired' ? 'Expired' : 'Expires'}>
          {state === 'expired' ? <Instant at={expiresAt} /> : <Expiry at={expiresAt} now={now} />}
        </Fact>
      ) : null}
      {settledAt === null ? null : (
        <>
          <Fact name={invoice.invoice === null ? 'Received' : 'Paid'}>
            <Instant at={settledAt} />
          </Fact>
          <Fact name="From">
            <From invoice={invoice} />
          </Fact>
        </>
      )}
      <Fact name="Payment hash">
        <code>{paymentHash}</code>
      </Fact>
    </dl>
  )
}

function From({ invoice: { paidFrom, payerAddress } }: { readonly invoice: InvoiceCard }) {
  if (payerAddress !== null) return <span className="break-words">{payerAddress}</span>
  if (paidFrom === null) return <>somebody here at {application().settings.vaspName}</>
  return paidFrom.node === null ? <>another node</> : <NodeName publicKeyHex={paidFrom.node} />
}
