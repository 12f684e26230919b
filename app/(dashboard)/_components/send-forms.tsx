import Link from 'next/link'
import { formatAmount } from '@/lib/money/format'
import type { Preview } from '@/lib/payments/preview'
import { ACTIONS } from './actions'
import { Field } from './field'
import { PROBLEM_ID } from './notice'
import { PersonForm } from './person-form'

/** Twice what the longest invoice has, far more than an address, and well below what an address bar carries. */
const LONGEST_PASTE = 4_000
const HINT_ID = 'invoice-hint'

export function PasteForm({ pasted, atFault }: { readonly pasted: string; readonly atFault: boolean }) {
  return (
    <form method="get" action="/wallets/send" className="mt-6 grid max-w-2xl gap-4">
      <label className="grid gap-1">
        <span className="label">Address, or Lightning invoice as text</span>
        <textarea
          className="field h-32 py-2 font-mono text-sm break-all"
          name="invoice"
          defaultValue={pasted}
          maxLength={LONGEST_PASTE}
          required
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={atFault ? true : undefined}
          aria-describedby={atFault ? `${PROBLEM_ID} ${HINT_ID}` : HINT_ID}
        />
      </label>
      <p className="label -mt-2" id={HINT_ID}>
        An address reads <code>$name@domain</code>, or <code>name@domain</code> without UMA. An invoice begins with{' '}
        <code>uma1</code> or <code>lnbcrt</code>; upper case and <code>lightning:</code> in front are fine.
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
  readonly atFault: boolean
}

/** For an invoice that leaves the amount to the payer. */
export function AmountForm({ invoice, description, amount, atFault }: AmountFormProps) {
  return (
    <form method="get" action="/wallets/send" className="mt-6 grid max-w-md gap-4">
      <p>
        {description === null || description === '' ? 'This invoice' : <q className="break-words">{description}</q>}{' '}
        leaves the amount to you.
      </p>
      <input type="hidden" name="invoice" value={invoice} />
      <Field label="Amount in SAT" name="amount" value={amount} inputMode="decimal" atFault={atFault} />
      <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <button className="button button-main">See what it costs</button>
        <Link className="tap" href="/wallets/send">
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
      <Link className="tap" href="/wallets/send">
        Another invoice
      </Link>
    </PersonForm>
  )
}
