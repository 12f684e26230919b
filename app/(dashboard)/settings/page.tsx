import type { Metadata } from 'next'
import { LearnZone } from '@/components/learn-zone'
import { pageZone, ZONE_COOKIE } from '@/components/page-zone'
import { UserSettings } from '@/components/sandbox-slots'
import { Alert, Success } from '@/components/ui/alert'
import { DescriptionItem } from '@/components/ui/description-item'
import { Field, Select } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { hasKeys } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { UTC, zoneInWords } from '@/lib/web/time'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Settings' }

const ERRORS: ErrorTexts = {
  'wallet.unknown': 'You have no such wallet. Nothing was changed. Choose one of your wallets.',
  'zone.unknown':
    'This is not the name of a time zone. Nothing was changed. Enter a name such as Europe/Zurich, or choose from the list.',
  pending: 'A payment of this user is in progress. Nothing was changed. Try again when it has ended.',
}
const DONE: Readonly<Record<string, string>> = {
  wallet: 'Default wallet saved.',
  zone: 'Time zone saved.',
  keys: 'Keys saved for this browser.',
  reset: 'The user was reset. Every wallet has its opening balance again.',
}

/** On request only: a page of them is 30 kB. */
function zoneNames(): string[] {
  return [UTC, ...Intl.supportedValuesOf('timeZone').filter((name) => name !== UTC)]
}

interface Props {
  readonly searchParams: SearchParams
}

export default async function SettingsPage({ searchParams }: Props) {
  const user = await requireUser()
  const params = await searchParams
  const wallets = await readWallets(application().db, user.username)
  const errors = readFormError(ERRORS, singleParam(params.error))
  const keys = await hasKeys()
  const done = singleParam(params.done) ?? ''
  return (
    <div className="py-8">
      <LearnZone cookie={ZONE_COOKIE} />
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

      <section className="mt-10 max-w-2xl" aria-labelledby="time-zone">
        <h2 id="time-zone">Time zone</h2>
        <p className="mt-2 mb-3 text-muted">
          Times on your pages are {zoneInWords(pageZone())}
          {user.timeZone == null ? ', as in your browser' : ''}. Point at a time to read it in UTC.
        </p>
        <UserForm action="/settings/zone" className="grid max-w-md gap-4">
          {singleParam(params.zones) === 'all' ? (
            <Select
              label="Time zone"
              name="zone"
              chosen={user.timeZone ?? ''}
              error={errors.zone}
              options={[['', 'As in the browser'], ...zoneNames().map((name) => [name, name] as const)]}
            />
          ) : (
            <Field
              label="Time zone"
              name="zone"
              value={singleParam(params.zone) ?? user.timeZone ?? ''}
              maxLength={64}
              error={errors.zone}
              hint="For example Europe/Zurich, or UTC. Leave empty for that of your browser."
            />
          )}
          <p className="actions">
            <button className="button">Save time zone</button>
            {singleParam(params.zones) === 'all' ? null : (
              <Link className="tap" href="/settings?zones=all#time-zone">
                Choose from the list
              </Link>
            )}
          </p>
        </UserForm>
      </section>

      <section className="mt-10 max-w-2xl" aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <p className="mt-2 mb-3 text-muted">
          {keys ? 'Single keys open pages in this browser, except while you type.' : 'Keys are off in this browser.'}{' '}
          <Link className="tap" href="/search#keys">
            List of keys
          </Link>
        </p>
        <UserForm action="/settings/keys">
          <input type="hidden" name="keys" value={keys ? 'off' : 'on'} />
          <button className="button">{keys ? 'Turn keys off' : 'Turn keys on'}</button>
        </UserForm>
      </section>

      <UserSettings user={user} confirming={singleParam(params.confirm)} />
    </div>
  )
}
