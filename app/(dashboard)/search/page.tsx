import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { hasSandboxTools } from '@/app/has-sandbox-tools'
import { keysOf } from '@/components/keys'
import { Field } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { hasKeys } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { LONGEST_TEXT } from '@/lib/wallets/activity-filter'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { requireUser } from '../require-user'
import { findPlace, LONGEST_SEARCH, readSearch, type Sought } from './find-place'

export const metadata: Metadata = { title: 'Search' }

export default async function SearchPage({ searchParams }: { readonly searchParams: SearchParams }) {
  const { username } = await requireUser()
  const app = application()
  const { typed, sought } = readSearch(singleParam((await searchParams).q))
  const hasTools = await hasSandboxTools(app)
  const place = sought === undefined ? undefined : await findPlace(app, username, sought, hasTools)
  if (place !== undefined) redirect(place)
  return (
    <div className="py-8">
      <h1>Search</h1>
      <search>
        <form action="/search" className="mt-6 grid max-w-2xl gap-4">
          <Field
            label="Address, invoice, payment hash, id or text"
            name="q"
            type="search"
            className="font-mono text-sm"
            value={typed}
            maxLength={LONGEST_SEARCH}
            required
            spellCheck={false}
            autoCapitalize="none"
            error={sought === undefined ? undefined : notFoundText(sought, hasTools)}
          />
          <button className="button button-main justify-self-start">Search</button>
        </form>
      </search>
      <section className="mt-10 max-w-2xl" aria-labelledby="what">
        <h2 id="what">What you can paste</h2>
        <ul className="mt-2 grid list-disc gap-1 pl-5">
          <li>A UMA or Lightning address: opens Send.</li>
          <li>An invoice: opens yours, or Send for that of another user.</li>
          <li>A payment hash: opens your payment or your invoice.</li>
          <li>
            The id of one of your connections{hasTools ? ', or of a request (X-Request-Id): opens it on the Wire' : ''}.
          </li>
          <li>Any other text of up to {LONGEST_TEXT} characters: searches your activity.</li>
        </ul>
      </section>
      <KeyList developers={hasTools} isOn={await hasKeys()} />
    </div>
  )
}

function KeyList({ developers, isOn }: { readonly developers: boolean; readonly isOn: boolean }) {
  return (
    <section className="mt-10 max-w-2xl" aria-labelledby="keys">
      {/* The key "?" moves the focus here. */}
      <h2 id="keys" tabIndex={-1}>
        Keys
      </h2>
      <p className="mt-2 text-muted">
        {isOn
          ? 'On every page, except while a field or a list has the focus. Press two keys one after the other.'
          : 'Keys are off in this browser.'}{' '}
        <Link className="tap" href="/settings#keys">
          {isOn ? 'Turn them off' : 'Turn them on'}
        </Link>
      </p>
      <dl className="mt-3 grid grid-cols-[6rem_1fr] gap-y-1">
        {keysOf(developers).map(([pressed, , name]) => (
          <div key={pressed} className="contents">
            <dt>
              <kbd className="figures">{pressed}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function notFoundText({ kind }: Sought, hasTools: boolean): string {
  if (kind === 'hash') return 'You have no payment and no invoice with this payment hash.'
  if (kind === 'id')
    return hasTools
      ? 'You have no connection, UMA invoice or request with this id. The Wire keeps requests for 24 hours.'
      : 'You have no connection or UMA invoice with this id.'
  return `This is no address, invoice, payment hash or id, and too long for a text: at most ${LONGEST_TEXT} characters.`
}
