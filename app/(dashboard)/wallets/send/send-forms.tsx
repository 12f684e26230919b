import { SendExamples } from '@/components/sandbox-slots'
import { Field, Select } from '@/components/ui/field'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import type { WalletAccount } from '@/lib/ledger/accounts'
import { invoicePrefixOf } from '@/lib/lightning/networks'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import type { Preview } from '@/lib/payments/preview'
import { visibleText } from '@/lib/platform/visible-text'
import type { SearchParams } from '@/lib/web/search-params'

export interface SendProps {
  readonly username: string
  readonly pasted: string
  /** What the user typed before an error, and the error. */
  readonly typed: Awaited<SearchParams>
}

/** Twice the length of the longest invoice, far more than an address, and well below the limit of an address bar. */
const MAX_PASTE_LENGTH = 4_000

interface PasteFormProps {
  readonly pasted: string
  readonly error: string | undefined
}

export function PasteForm({ pasted, error }: PasteFormProps) {
  const { node, settings, umaInvoices } = application()
  return (
    <form
      method="get"
      action="/wallets/send"
      data-busy="Looking up the recipient …"
      className="mt-6 grid max-w-3xl gap-4 *:max-w-2xl"
    >
      {/* One line, so that Enter sends it. Browsers remove line breaks from pasted text. */}
      <Field
        label="Address or invoice"
        name="invoice"
        className="font-mono text-sm"
        value={pasted}
        maxLength={MAX_PASTE_LENGTH}
        required
        autoFocus
        spellCheck={false}
        autoCapitalize="none"
        error={error}
        hint={
          <>
            Paste a UMA address (<code>$name@domain</code>), a Lightning Address (<code>name@domain</code>) or an
            invoice (
            {umaInvoices === undefined ? null : (
              <>
                <code>uma1…</code> or{' '}
              </>
            )}
            <code>{invoicePrefixOf(node.identity.network)}…</code>).
          </>
        }
      />
      <p className="actions">
        <button className="button button-main">Continue</button>
        <span className="label">You pay nothing yet.</span>
      </p>
      {settings.sandboxTools ? <SendExamples domain={settings.vaspDomain} /> : null}
    </form>
  )
}

export function Recipient({ address }: { readonly address: string }) {
  return (
    <h2 id="receiver" className="flex items-center gap-x-4">
      <Identicon text={address} size={48} />
      <span className="min-w-0 break-words">{address}</span>
    </h2>
  )
}

interface WalletSelectProps {
  readonly wallets: readonly WalletAccount[]
  readonly chosen: string | undefined
  readonly error: string | undefined
}

/** The user's wallets with their balances. */
export function WalletSelect({ wallets, chosen, error }: WalletSelectProps) {
  const options = wallets.map(
    ({ code, available }) => [code, `${currencyOf(code).name}, ${formatAmount(available, code)} ${code}`] as const,
  )
  return <Select label="Pay from" name="wallet" chosen={chosen} error={error} options={options} />
}

/** The last part of both quote forms. */
export function GetQuote() {
  return (
    <p className="actions">
      <button className="button button-main">Get a quote</button>
      <Link className="tap" href="/wallets/send">
        Change recipient
      </Link>
    </p>
  )
}

interface AmountFormProps {
  readonly invoice: string
  readonly description: string | null
  readonly amount: string
  readonly error: string | undefined
}

/** For an invoice that leaves the amount to the payer. */
export function AmountForm({ invoice, description, amount, error }: AmountFormProps) {
  const memo = visibleText(description)
  return (
    <form method="get" action="/wallets/send" className="mt-6 grid max-w-md gap-4">
      <p>{memo === undefined ? 'This invoice' : <q className="break-words">{memo}</q>} has no amount: you choose.</p>
      <input type="hidden" name="invoice" value={invoice} />
      <Field label="Amount in SAT" name="amount" value={amount} inputMode="decimal" required error={error} />
      <p className="actions">
        <button className="button button-main">Continue</button>
        <AnotherInvoice />
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
    <UserForm
      action="/wallets/send/confirm"
      busy="Paying …"
      className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3"
    >
      <input type="hidden" name="invoice" value={preview.invoice} />
      <input type="hidden" name="wallet" value={preview.walletCode} />
      <input type="hidden" name="debit" value={String(preview.debit)} />
      {amount === undefined || amount === '' ? null : <input type="hidden" name="amount" value={amount} />}
      <button className="button button-main">
        Pay {formatAmount(preview.debit, preview.walletCode)} {preview.walletCode}
      </button>
      <AnotherInvoice />
    </UserForm>
  )
}

function AnotherInvoice() {
  return (
    <Link className="tap" href="/wallets/send">
      Use another invoice
    </Link>
  )
}
