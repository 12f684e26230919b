import type { Metadata } from 'next'
import { UserSettings } from '@/components/sandbox-slots'
import { Alert, Success } from '@/components/ui/alert'
import { DescriptionItem } from '@/components/ui/description-item'
import { Select } from '@/components/ui/field'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Settings' }

const ERRORS: ErrorTexts = {
  'wallet.unknown': 'You have no such wallet. Nothing was changed. Choose one of your wallets.',
  pending: 'A payment of this user is in progress. Nothing was changed. Try again when it has ended.',
}
const DONE: Readonly<Record<string, string>> = {
  wallet: 'Default wallet saved.',
  reset: 'The user was reset. Every wallet has its opening balance again.',
}

interface Props {
  readonly searchParams: SearchParams
}

export default async function SettingsPage({ searchParams }: Props) {
  const user = await requireUser()
  const params = await searchParams
  const wallets = await readWallets(application().db, user.username)
  const errors = readFormError(ERRORS, singleParam(params.error))
  const done = singleParam(params.done) ?? ''
  return (
    <div className="py-8">
      <h1>Settings</h1>
      {Object.hasOwn(DONE, done) ? <Success>{DONE[done]}</Success> : null}
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}

      <section className="mt-8" aria-labelledby="user">
        <h2 id="user">User</h2>
        <dl className="mt-3">
          <DescriptionItem term="Address" className="line py-2">
            <code>{user.address}</code>
          </DescriptionItem>
        </dl>
      </section>

      {wallets.length < 2 ? null : (
        <section className="mt-10 max-w-2xl" aria-labelledby="default-wallet">
          <h2 id="default-wallet">Default wallet</h2>
          <p className="mt-2 mb-3 text-muted">
            Payments come from this wallet if it holds enough money, and otherwise from the next one. Apps see it first.
          </p>
          <UserForm action="/settings/wallet" className="grid max-w-md gap-4">
            <Select
              label="Wallet"
              name="wallet"
              chosen={wallets[0]?.code}
              error={errors.wallet}
              options={wallets.map(({ code }) => [code, `${code}, ${currencyOf(code).name}`])}
            />
            <button className="button justify-self-start">Save default wallet</button>
          </UserForm>
        </section>
      )}

      <UserSettings user={user} confirming={singleParam(params.confirm)} />
    </div>
  )
}
