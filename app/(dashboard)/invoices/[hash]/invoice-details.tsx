import { NodeName } from '@/components/node-name'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { Expiry, Instant } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import type { InvoiceCard } from '@/lib/invoices/queries'
import { AskedAmount } from '../asked-amount'

/** The fields of an invoice and its outcome. */
export function InvoiceDetails({ invoice, now }: { readonly invoice: InvoiceCard; readonly now: Date }) {
  const { amountMsats, currencyCode, createdAt, expiresAt, settledAt, state, paymentHash } = invoice
  return (
    <dl>
      <DescriptionItem term="Amount">
        {amountMsats === null ? 'the payer chooses' : <AskedAmount invoice={invoice} />}
      </DescriptionItem>
      <DescriptionItem term="Receive in">
        <Link className="row-link" href={`/wallets/${currencyCode}`}>
          {currencyCode}
        </Link>
      </DescriptionItem>
      {invoice.invoice === null ? (
        <DescriptionItem term="Kind">Keysend (sent without an invoice)</DescriptionItem>
      ) : (
        <DescriptionItem term="Created">
          <Instant at={createdAt} />
        </DescriptionItem>
      )}
      {settledAt === null && expiresAt !== null ? (
        <DescriptionItem term={state === 'expired' ? 'Expired' : 'Expires'}>
          {state === 'expired' ? <Instant at={expiresAt} /> : <Expiry at={expiresAt} now={now} />}
        </DescriptionItem>
      ) : null}
      {settledAt === null ? null : (
        <>
          <DescriptionItem term={invoice.invoice === null ? 'Received' : 'Paid'}>
            <Instant at={settledAt} />
          </DescriptionItem>
          <DescriptionItem term="From">
            <From invoice={invoice} />
          </DescriptionItem>
        </>
      )}
      {invoice.isCallbackGivenUp ? (
        <DescriptionItem term="Report">
          The sender&rsquo;s VASP was not told that the payment is settled: it confirmed none of our five messages. The
          money is in your wallet.
        </DescriptionItem>
      ) : null}
      <DescriptionItem term="Payment hash">
        <code>{paymentHash}</code>
      </DescriptionItem>
    </dl>
  )
}

function From({ invoice: { paidFrom, payerAddress } }: { readonly invoice: InvoiceCard }) {
  if (payerAddress !== null) return <span className="break-words">{payerAddress}</span>
  if (paidFrom === null) return <>a {application().settings.vaspName} customer</>
  return paidFrom.node === null ? <>another node</> : <NodeName publicKeyHex={paidFrom.node} />
}
