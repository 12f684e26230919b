import type { Metadata } from 'next'
import Link from 'next/link'
import { CopyField } from '@/components/ui/copy-field'
import { QrBlock } from '@/components/ui/qr-block'
import { application } from '@/lib/backend/application'
import { listWallets } from '@/lib/wallets/queries'
import { ACTIONS } from '@/lib/ui/actions'
import { Choice } from '@/components/ui/select'
import { Field } from '@/components/ui/field'
import { Problem } from '@/components/ui/alert'
import { one, type SearchParams } from '@/lib/ui/search-params'
import { RequestId } from '@/components/request-id'
import { signedIn } from '@/app/(dashboard)/require-user'
import { fieldOf, problemSentence } from './sentences'
import { PersonForm } from '@/components/user-form'

export const metadata: Metadata = { title: 'Receive' }

/** BOLT 11 keeps 639 bytes; in any script, that many characters are fewer. */
const LONGEST_DESCRIPTION = 159
const DEFAULT_EXPIRY = '3600'
const EXPIRIES = [
  ['600', '10 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '1 week'],
] as const
/** For seeing one expire without a wait. */
const SANDBOX_EXPIRY = ['10', '10 seconds, to see it expire'] as const

interface Props {
  readonly searchParams: SearchParams
}

export default async function ReceivePage({ searchParams }: Props) {
  const person = await signedIn()
  const current = application()
  const [wallets, typed] = await Promise.all([listWallets(current.db, person.username), searchParams])
  const error = one(typed.error)
  const problem = problemSentence(error)
  const fault = fieldOf(error)
  const problemOf = (field: string): string | undefined => (fault === field ? problem : undefined)
  const expiries = current.settings.sandboxTools ? [SANDBOX_EXPIRY, ...EXPIRIES] : EXPIRIES
  return (
    <div className="py-8">
      <h1>Receive</h1>
      {problem === undefined || fault !== undefined ? null : <Problem>{problem}</Problem>}
      <OwnAddress address={person.address} />
      {current.uma === undefined || wallets.length === 0 ? null : (
        <section aria-labelledby="uma" className="mt-10">
          <h2 id="uma">A UMA invoice</h2>
          <p className="mt-2 max-w-2xl text-muted">
            Asks for an exact amount in your own currency. It can be paid once, within a day, from any UMA wallet.
          </p>
          <PersonForm action={ACTIONS.makeUmaInvoice} className="mt-6 grid max-w-md gap-5">
            <RequestId kept={one(typed.request_id)} />
            <Choice
              label="You get it in"
              name="uma-currency"
              chosen={one(typed['uma-currency'])}
              problem={problemOf('uma-currency')}
            >
              {wallets.map(({ currency }) => [currency.code, `${currency.code}, ${currency.name}`])}
            </Choice>
            <Field
              label="Amount you get"
              name="uma-amount"
              value={one(typed['uma-amount']) ?? ''}
              inputMode="decimal"
              problem={problemOf('uma-amount')}
            />
            <Field
              label="Ask this address to pay"
              name="payer"
              value={one(typed.payer) ?? ''}
              maxLength={320}
              required={false}
              problem={problemOf('payer')}
              hint="It appears among their requests. Leave it empty, and anybody who has the invoice can pay it."
            />
            <p>
              <button className="button">Make the UMA invoice</button>
            </p>
          </PersonForm>
        </section>
      )}
      <h2 className="mt-10">A Lightning invoice</h2>
      <p className="mt-2 max-w-2xl text-muted">
        What is paid arrives in the wallet you choose, at the rate of the moment it is paid.
      </p>
      {wallets.length === 0 ? (
        <p className="line mt-8 py-10 font-serif text-xl">You have no wallet to receive into.</p>
      ) : (
        <PersonForm action={ACTIONS.receive} className="mt-6 grid max-w-md gap-5">
          <Choice
            label="Into the wallet"
            name="currency"
            chosen={one(typed.currency) ?? wallets[0]?.currency.code}
            problem={problemOf('currency')}
          >
            {wallets.map(({ currency }) => [currency.code, `${currency.code}, ${currency.name}`])}
          </Choice>
          <Field
            label="Amount, in the currency of the wallet"
            name="amount"
            value={one(typed.amount) ?? ''}
            inputMode="decimal"
            required={false}
            problem={problemOf('amount')}
            hint="Leave it empty and the payer chooses."
          />
          <Field
            label="Memo"
            name="description"
            value={one(typed.description) ?? ''}
            maxLength={LONGEST_DESCRIPTION}
            required={false}
            problem={problemOf('description')}
            hint="The payer reads it before paying."
          />
          <label className="grid gap-1">
            <span className="label">Can be paid for</span>
            <select className="field" name="expiry" defaultValue={one(typed.expiry) ?? DEFAULT_EXPIRY}>
              {expiries.map(([seconds, words]) => (
                <option key={seconds} value={seconds}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <p className="flex flex-wrap items-center gap-x-5 gap-y-2">
            <button className="button button-main">Make the invoice</button>
            <Link prefetch={false} className="tap" href="/invoices">
              Your invoices
            </Link>
          </p>
        </PersonForm>
      )}
    </div>
  )
}

/** The person's address: whoever has it can pay, and needs no invoice. */
function OwnAddress({ address }: { readonly address: string }) {
  return (
    <section aria-labelledby="address" className="mt-6 grid gap-x-10 gap-y-6 min-[720px]:grid-cols-[12rem_1fr]">
      <div className="max-w-48">
        <QrBlock text={address} label="Your address as a QR code; its text stands beside it" />
      </div>
      <div className="min-w-0">
        <h2 id="address">Your UMA address</h2>
        <p className="mt-2 mb-4 max-w-xl text-muted">
          Anybody who has it can pay you, in any currency that you hold a wallet in. It never changes.
        </p>
        <CopyField label="UMA address" text={address} />
      </div>
    </section>
  )
}
