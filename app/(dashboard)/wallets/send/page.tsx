import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { previewPayment } from '@/lib/payments/preview'
import { isMeantAsAddress, resolveReceiver } from '@/lib/quotes/resolve-receiver'
import { recentReceivers } from '@/lib/quotes/queries'
import { isMeantAsUmaInvoice, previewUmaInvoice } from '@/lib/quotes/uma-invoice'
import { CannotPay } from '../cannot-pay'
import { Problem } from '@/components/ui/alert'
import { one, type SearchParams } from '@/lib/ui/search-params'
import { AmountForm, ConfirmForm, PasteForm } from './send-forms'
import { PaymentPreview } from './payment-preview'
import { Recents } from './recents'
import { signedIn } from '@/app/(dashboard)/require-user'
import { faultOf, problemSentence } from './sentences'
import { ToAddress } from './to-address'
import { UmaInvoiceForm } from './uma-invoice'

export const metadata: Metadata = { title: 'Send' }

interface Props {
  readonly searchParams: SearchParams
}

type Typed = Awaited<SearchParams>

export default async function SendPage({ searchParams }: Props) {
  const { username } = await signedIn()
  const typed = await searchParams
  const pasted = one(typed.invoice)?.trim() ?? ''
  if (isMeantAsUmaInvoice(pasted)) return <UmaInvoice username={username} pasted={pasted} typed={typed} />
  if (isMeantAsAddress(pasted)) return <Address username={username} pasted={pasted} typed={typed} />
  return <Invoice username={username} pasted={pasted} typed={typed} />
}

interface PartProps {
  readonly username: string
  readonly pasted: string
  readonly typed: Typed
}

function Frame({ problem, children }: { readonly problem: string | undefined; readonly children: ReactNode }) {
  return (
    <div className="py-8">
      <h1>Send</h1>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {children}
    </div>
  )
}

async function Address({ username, pasted, typed }: PartProps) {
  const current = application()
  const [look, wallets] = await Promise.all([
    resolveReceiver(current, username, pasted),
    readWallets(current.db, username),
  ])
  const error = one(typed.error)
  const problem = look.kind === 'problem' ? look.message : problemSentence(error)
  const fault = faultOf(error)
  return (
    <Frame problem={look.kind === 'problem' || fault !== undefined ? undefined : problem}>
      {look.kind === 'problem' ? (
        <PasteForm pasted={pasted} problem={problem} />
      ) : (
        <ToAddress
          receiver={look.receiver}
          wallets={wallets}
          typed={{
            amount: one(typed.amount) ?? '',
            side: one(typed.side) === 'sending' ? 'sending' : 'receiving',
            wallet: one(typed.wallet),
            currency: one(typed.currency),
            comment: one(typed.comment) ?? '',
            problem: fault === undefined || problem === undefined ? undefined : { of: fault, text: problem },
          }}
        />
      )}
    </Frame>
  )
}

async function UmaInvoice({ username, pasted, typed }: PartProps) {
  const current = application()
  const [look, wallets] = await Promise.all([
    previewUmaInvoice(current, username, pasted),
    readWallets(current.db, username),
  ])
  const error = one(typed.error)
  const problem = look.kind === 'problem' ? look.message : problemSentence(error)
  const fault = faultOf(error)
  return (
    <Frame problem={look.kind === 'problem' || fault !== undefined ? undefined : problem}>
      {look.kind === 'problem' ? (
        <PasteForm pasted={pasted} problem={problem} />
      ) : (
        <UmaInvoiceForm
          payable={look.payable}
          encoded={pasted}
          wallets={wallets}
          wallet={one(typed.wallet)}
          problem={fault === 'wallet' ? problem : undefined}
          now={current.clock.now()}
        />
      )}
    </Frame>
  )
}

async function Invoice({ username, pasted, typed }: PartProps) {
  const amount = one(typed.amount)
  const current = application()
  const now = current.clock.now()
  const preview = pasted === '' ? undefined : await previewPayment(current, username, pasted, amount)
  const wallets = preview?.kind === 'problem' && preview.lacks === true ? await readWallets(current.db, username) : []
  const [first] = wallets
  const recents = preview === undefined ? await recentReceivers(current.db, username) : []
  // The invoice's own state, read just now, says more than the code that a refused form came back with.
  const problem = preview?.kind === 'problem' ? preview.message : problemSentence(one(typed.error))
  const needsAmount = preview?.kind === 'problem' && preview.isOfAmount === true
  return (
    <Frame problem={preview?.kind === 'ready' ? problem : undefined}>
      {preview?.kind === 'ready' ? (
        <section aria-labelledby="preview" className="mt-6 max-w-3xl">
          <h2 id="preview">Before you pay</h2>
          <PaymentPreview
            preview={preview}
            now={now}
            ourNode={preview.payee === current.node.identity.publicKeyHex ? current.settings.vaspName : undefined}
          />
          <ConfirmForm preview={preview} amount={amount} />
        </section>
      ) : null}
      {preview?.kind === 'needs-amount' || needsAmount ? (
        <AmountForm
          invoice={preview?.kind === 'needs-amount' ? preview.invoice : pasted}
          description={preview?.kind === 'needs-amount' ? preview.description : null}
          amount={amount ?? ''}
          problem={problem}
        />
      ) : null}
      {preview === undefined || (preview.kind === 'problem' && !needsAmount) ? (
        <PasteForm pasted={pasted} problem={problem} />
      ) : null}
      {preview?.kind === 'problem' && preview.lacks === true && first !== undefined ? (
        <CannotPay wallets={wallets} code={first.code} />
      ) : null}
      <Recents recents={recents} now={now} />
    </Frame>
  )
}
