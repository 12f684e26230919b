import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Amount } from '@/app/_components/amount'
import { CopyField } from '@/app/_components/copy-field'
import { QrBlock } from '@/app/_components/qr-block'
import { deps } from '@/lib/deps'
import { findUmaInvoice } from '@/lib/invoices/uma-invoices'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import { Expiry } from '../../../_components/expiry'
import { Fact } from '../../../_components/fact'
import { signedIn } from '../../../_components/signed-in'

export const metadata: Metadata = { title: 'UMA invoice' }

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export default async function UmaInvoicePage({ params }: Props) {
  const { username } = await signedIn()
  const current = deps()
  const invoice = await findUmaInvoice(current, username, (await params).uuid.toLowerCase())
  if (invoice === null) notFound()
  const { encoded, code, amount, sender, paid, maxPayments, expired } = invoice
  const isOpen = paid < maxPayments && !expired
  return (
    <div className="py-8">
      <Link className="tap" href="/wallets/receive">
        Receive
      </Link>
      <h1 className="mt-2">{sender === null ? 'UMA invoice' : 'Request for payment'}</h1>
      <p className="mt-3 text-lg">{paid > 0 ? '✓ Paid' : expired ? 'Expired' : '○ Waiting to be paid'}</p>
      <div className="mt-6 grid gap-x-14 gap-y-8 min-[820px]:grid-cols-[20rem_1fr]">
        {isOpen ? (
          <div className="max-w-80 max-[819px]:mx-auto max-[819px]:w-full">
            <QrBlock text={encoded} label="The UMA invoice as a QR code; its text stands on this page too" />
          </div>
        ) : null}
        <div className="min-w-0">
          <dl>
            <Fact name="You get">
              <Amount units={toLedgerUnits(amount, code)} code={code} />
            </Fact>
            <Fact name="From">{sender ?? 'anybody who has it'}</Fact>
            <Fact name="Can be paid until">
              <Expiry at={invoice.expiresAt} now={current.clock.now()} />
            </Fact>
          </dl>
          {isOpen ? (
            <>
              {sender === null ? null : (
                <p className="mt-4 max-w-xl">Their VASP has it, and shows it among their requests.</p>
              )}
              <div className="mt-6">
                <CopyField label="UMA invoice" text={encoded} />
              </div>
            </>
          ) : null}
          <p className="mt-4">
            <Link className="tap" href={`/invoices/uma/${(await params).uuid}`}>
              Look again
            </Link>
          </p>
        </div>
      </div>
    </div>
  )
}
