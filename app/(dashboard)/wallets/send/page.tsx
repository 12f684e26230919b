import type { Metadata } from 'next'
import { deps } from '@/lib/deps'
import { previewPayment, type Preview } from '@/lib/payments/preview'
import { Problem } from '../../_components/notice'
import { one, type SearchParams } from '../../_components/params'
import { AmountForm, ConfirmForm, PasteForm } from '../../_components/send-forms'
import { PaymentPreview } from '../../_components/payment-preview'
import { signedIn } from '../../_components/signed-in'
import { problemSentence } from './sentences'

export const metadata: Metadata = { title: 'Send' }

interface Props {
  readonly searchParams: SearchParams
}

export default async function SendPage({ searchParams }: Props) {
  const person = await signedIn()
  const typed = await searchParams
  const pasted = one(typed.invoice)?.trim() ?? ''
  const amount = one(typed.amount)
  const current = deps()
  const preview = pasted === '' ? undefined : await previewPayment(current, person.username, pasted, amount)
  // The invoice's own state, read just now, says more than the code that a refused form came back with.
  const problem = preview?.kind === 'problem' ? preview.message : problemSentence(one(typed.error))
  const needsAmount = isAmountProblem(preview, pasted, amount)
  return (
    <div className="py-8">
      <h1>Send</h1>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {preview?.kind === 'ready' ? (
        <section aria-labelledby="preview" className="mt-6 max-w-3xl">
          <h2 id="preview">Before you pay</h2>
          <PaymentPreview
            preview={preview}
            now={current.clock.now()}
            ourNode={preview.payee === current.node.publicKeyHex ? current.settings.vaspName : undefined}
          />
          <ConfirmForm preview={preview} amount={amount} />
        </section>
      ) : null}
      {preview?.kind === 'needs-amount' || needsAmount ? (
        <AmountForm
          invoice={preview?.kind === 'needs-amount' ? preview.invoice : pasted}
          description={preview?.kind === 'needs-amount' ? preview.description : null}
          amount={amount ?? ''}
          atFault={problem !== undefined}
        />
      ) : null}
      {preview === undefined || (preview.kind === 'problem' && !needsAmount) ? (
        <PasteForm pasted={pasted} atFault={problem !== undefined} />
      ) : null}
    </div>
  )
}

/** An amount was typed for an invoice that has none, and it is the amount that is at fault: it is asked for again. */
function isAmountProblem(preview: Preview | undefined, pasted: string, amount: string | undefined): boolean {
  return preview?.kind === 'problem' && pasted !== '' && amount !== undefined && amount !== ''
}
