import Link from 'next/link'
import { application } from '@/lib/backend/application'
import { formatAmount } from '@/lib/money/format'
import type { Preview } from '@/lib/payments/preview'
import { ACTIONS } from '@/lib/ui/actions'
import { Field, FieldProblem, problemIdOf } from '@/components/ui/field'
import { PersonForm } from '@/components/user-form'

/** Twice what the longest invoice has, far more than an address, and well below what an address bar carries. */
const LONGEST_PASTE = 4_000
const PASTE = 'invoice'
const HINT_ID = 'invoice-hint'

interface PasteFormProps {
  readonly pasted: string
  /** What is wrong with it. */
  readonly problem: string | undefined
}

export function PasteForm({ pasted, problem }: PasteFormProps) {
  const { invoicePrefix } = application().node.identity
  return (
    <form method="get" action="/wallets/send" className="mt-6 grid max-w-2xl gap-4">
      <div className="grid gap-1">
        <label className="label" htmlFor={PASTE}>
          Address, or Lightning invoice as text
        </label>
        {/* One line, so that Enter sends it; a browser takes line breaks out of what is pasted. */}
        <input
          className="field font-mono text-sm"
          id={PASTE}
          name={PASTE}
          defaultValue={pasted}
          maxLength={LONGEST_PASTE}
          required
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={problem === undefined ? HINT_ID : `${problemIdOf(PASTE)} ${HINT_ID}`}
        />
        <FieldProblem name={PASTE} problem={problem} />
      </div>
      <p className="label -mt-2" id={HINT_ID}>
        An address reads <code>$name@domain</code>, or <code>name@domain</code> without UMA. An invoice begins with{' '}
        <code>uma1</code> or <code>{invoicePrefix}</code>; upper case and <code>lightning:</code> in front are fine.
      </p>
      <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <button className="button button-main">Look at it first</button>
        <span className="label">Nothing is paid yet.</span>
      </p>
    </form>
  )
}

interface AmountFormProps {
  readonly invoice: string
  readonly description: string | null
  readonly amount: string
  readonly problem: string | undefined
}

/** For an invoice that leaves the amount to the payer. */
export function AmountForm({ invoice, description, amount, problem }: AmountFormProps) {
  return (
    <form method="get" action="/wallets/send" className="mt-6 grid max-w-md gap-4">
      <p>
        {description === null || description === '' ? 'This invoice' : <q className="break-words">{description}</q>}{' '}
        leaves the amount to you.
      </p>
      <input type="hidden" name="invoice" value={invoice} />
      <Field label="Amount in SAT" name="amount" value={amount} inputMode="decimal" problem={problem} />
      <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <button className="button button-main">See what it costs</button>
        <Link prefetch={false} className="tap" href="/wallets/send">
          Another invoice
        </Link>
      </p>
    </form>
  )
}

interface ConfirmFormProps {
  readonly preview: Extract<Preview, { kind: 'ready' }>
  readonly amount: string | undefined
}

export function ConfirmForm({ preview, amount }: ConfirmFormProps) {
  return (
    <PersonForm action={ACTIONS.send} className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
      <input type="hidden" name="invoice" value={preview.invoice} />
      <input type="hidden" name="wallet" value={preview.walletCode} />
      <input type="hidden" name="debit" value={String(preview.debit)} />
      {amount === undefined || amount === '' ? null : <input type="hidden" name="amount" value={amount} />}
      <button className="button button-main">
        Pay {formatAmount(preview.debit, preview.walletCode)} {preview.walletCode}
      </button>
      <Link prefetch={false} className="tap" href="/wallets/send">
        Another invoice
      </Link>
    </PersonForm>
  )
}
