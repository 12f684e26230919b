import type { Metadata } from 'next'
import { requireUser } from '@/app/(dashboard)/require-user'
import { RequestId } from '@/components/request-id'
import { ReceiveExamples } from '@/components/sandbox-slots'
import { Alert } from '@/components/ui/alert'
import { CopyField } from '@/components/ui/copy-field'
import { Field, Select } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { QrBlock } from '@/components/ui/qr-block'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { INVOICE_ERRORS, UMA_INVOICE_ERRORS } from './errors'

export const metadata: Metadata = { title: 'Receive' }

/** BOLT 11 stores 639 bytes, and a character of any script has at most four. */
const MAX_DESCRIPTION_LENGTH = 159
const DEFAULT_EXPIRY = '3600'
const EXPIRIES = [
  ['600', '10 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '1 week'],
] as const
/** Short, so that a developer can watch an invoice expire. */
const SANDBOX_EXPIRY = ['10', '10 seconds (to test expiry)'] as const

const TABS = [
  { name: 'address', label: 'Address' },
  { name: 'invoice', label: 'Invoice' },
  { name: 'uma', label: 'UMA request' },
] as const
const PLAIN_TABS = TABS.filter(({ name }) => name !== 'uma')

interface Props {
  readonly searchParams: SearchParams
}

export default async function ReceivePage({ searchParams }: Props) {
  const user = await requireUser()
  const current = application()
  const [wallets, typed] = await Promise.all([readWallets(current.db, user.username), searchParams])
  const errors = readFormError(
    {
      ...INVOICE_ERRORS,
      ...UMA_INVOICE_ERRORS,
      ...commaErrors('amount', singleParam(typed.amount), 'No invoice was created.'),
      ...commaErrors('uma-amount', singleParam(typed['uma-amount']), 'No invoice was created.'),
    },
    singleParam(typed.error),
  )
  const currencies = wallets.map(({ code }) => [code, `${code}, ${currencyOf(code).name}`] as const)
  const tabs = current.uma === undefined || current.umaInvoices === undefined ? PLAIN_TABS : TABS
  const requested = singleParam(typed.tab)
  const tab = tabs.find(({ name }) => name === requested)?.name ?? 'address'
  return (
    <div className="py-8">
      <h1>Receive</h1>
      <nav aria-label="Ways to receive" className="mt-5 flex flex-wrap gap-x-6">
        {tabs.map(({ name, label }) => (
          <Link
            key={name}
            className="tap"
            href={name === 'address' ? '/wallets/receive' : `/wallets/receive?tab=${name}`}
            aria-current={name === tab ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
      {tab === 'address' ? (
        <OwnAddress address={user.address} />
      ) : currencies.length === 0 ? (
        <p className="line mt-8 py-10 font-serif text-xl">You have no wallet to receive into.</p>
      ) : tab === 'invoice' ? (
        <InvoiceForm
          typed={typed}
          errors={errors}
          currencies={currencies}
          sandboxTools={current.settings.sandboxTools}
        />
      ) : (
        <UmaInvoiceForm typed={typed} errors={errors} currencies={currencies} />
      )}
    </div>
  )
}

/** The user's address. A payer who has it needs no invoice. */
function OwnAddress({ address }: { readonly address: string }) {
  return (
    <section aria-labelledby="address" className="mt-6 grid gap-x-10 gap-y-6 md:grid-cols-[12rem_1fr]">
      <div className="max-w-48">
        <QrBlock text={address} label="QR code of your address (the text is next to it)" />
      </div>
      <div className="min-w-0">
        <h2 id="address">Your UMA address</h2>
        <p className="mt-2 mb-4 max-w-xl text-muted">
          Anyone with this address can pay into any of your wallets. It never changes.
        </p>
        <CopyField label="UMA address" text={address} />
      </div>
    </section>
  )
}

interface FormProps {
  readonly typed: Awaited<SearchParams>
  readonly errors: Readonly<Record<string, string>>
  readonly currencies: readonly (readonly [code: string, text: string])[]
}

function InvoiceForm({ typed, errors, currencies, sandboxTools }: FormProps & { readonly sandboxTools: boolean }) {
  return (
    <section aria-labelledby="invoice" className="mt-6">
      <h2 id="invoice">Lightning invoice</h2>
      <p className="mt-2 max-w-2xl text-muted">
        The payment goes into the wallet you choose, at the rate at the time of payment.
      </p>
      <UserForm action="/wallets/receive/make" className="mt-6 grid max-w-md gap-5">
        <Select
          label="Wallet"
          name="currency"
          chosen={singleParam(typed.currency) ?? currencies[0]?.[0]}
          error={errors.currency}
          options={currencies}
        />
        <Field
          label="Amount (optional)"
          name="amount"
          value={singleParam(typed.amount) ?? ''}
          inputMode="decimal"
          error={errors.amount}
          hint="In the currency of the wallet. Leave empty to let the payer choose."
        />
        <Field
          label="Memo"
          name="description"
          value={singleParam(typed.description) ?? ''}
          maxLength={MAX_DESCRIPTION_LENGTH}
          error={errors.description}
          hint="The payer sees this before paying."
        />
        {sandboxTools ? <ReceiveExamples /> : null}
        <Select
          label="Valid for"
          name="expiry"
          chosen={singleParam(typed.expiry) ?? DEFAULT_EXPIRY}
          options={sandboxTools ? [SANDBOX_EXPIRY, ...EXPIRIES] : EXPIRIES}
        />
        <p className="actions">
          <button className="button button-main">Create invoice</button>
          <Link className="tap" href="/invoices">
            Your invoices
          </Link>
        </p>
      </UserForm>
    </section>
  )
}

function UmaInvoiceForm({ typed, errors, currencies }: FormProps) {
  return (
    <section aria-labelledby="uma" className="mt-6">
      <h2 id="uma">UMA invoice</h2>
      <p className="mt-2 max-w-2xl text-muted">
        Requests an exact amount in your own currency. It can be paid once, within a day, from any UMA wallet.
      </p>
      <UserForm action="/wallets/receive/uma" className="mt-6 grid max-w-md gap-5">
        <RequestId kept={singleParam(typed.request_id)} />
        <Select
          label="Receive in"
          name="uma-currency"
          chosen={singleParam(typed['uma-currency'])}
          error={errors['uma-currency']}
          options={currencies}
        />
        <Field
          label="Amount to receive"
          name="uma-amount"
          value={singleParam(typed['uma-amount']) ?? ''}
          inputMode="decimal"
          required
          error={errors['uma-amount']}
        />
        <Field
          label="Request from (optional)"
          name="payer"
          value={singleParam(typed.payer) ?? ''}
          maxLength={320}
          error={errors.payer}
          hint="They see it under Requests. Leave empty to let anyone with the invoice pay."
        />
        <p>
          <button className="button button-main">Create UMA invoice</button>
        </p>
      </UserForm>
    </section>
  )
}
