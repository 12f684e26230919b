import type { Metadata } from 'next'
import { LivePage } from '@/components/live-page'
import { pageZone } from '@/components/page-zone'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { findConnectionCard, listConnections } from '@/lib/connections/queries'
import { readWallets } from '@/lib/ledger/accounts'
import { listOpenPayments } from '@/lib/payments/queries'
import { readActivity, SEARCHED, type Cursor } from '@/lib/wallets/activity'
import { isIndexed, paramsOf, readActivityQuery, type TypedFilter } from '@/lib/wallets/activity-filter'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { startOfDay, zoneInWords } from '@/lib/web/time'
import { requireUser } from '../require-user'
import { PendingPayments } from '../wallets/pending-payments'
import { ActivityTable } from './activity-table'
import { FilterForm } from './filter-form'

export const metadata: Metadata = { title: 'Activity' }

/** The maximum number of connections in the filter. The page of any other connection links to this page. */
const MOST_LISTED = 50

export default async function ActivityPage({ searchParams }: { readonly searchParams: SearchParams }) {
  const user = await requireUser()
  const values = await searchParams
  const zone = pageZone()
  const { typed, filter, errors } = readActivityQuery(values, (day) => startOfDay(day, zone))
  const hasErrors = Object.keys(errors).length > 0
  const cursor = readCursor(singleParam(values.before), singleParam(values.searched))
  const { db, clock } = application()
  const isFiltered = paramsOf(typed).size > 0
  const [wallets, { connections }, named, page, pending] = await Promise.all([
    readWallets(db, user.username),
    listConnections({ db }, user.username, { tab: 'active', size: MOST_LISTED }),
    filter.connectionId === undefined ? undefined : findConnectionCard({ db }, user.username, filter.connectionId),
    hasErrors ? undefined : readActivity(db, user.username, filter, cursor),
    isFiltered || cursor !== undefined ? [] : listOpenPayments(db, user.username),
  ])
  const listed =
    named === undefined || connections.some(({ id }) => id === named.id) ? connections : [named, ...connections]
  return (
    <div className="py-4 md:py-8">
      {cursor === undefined && !hasErrors ? <LivePage kinds={['payment', 'invoice', 'wallet']} /> : null}
      <h1>Activity</h1>
      <p className="mt-3 max-w-2xl text-muted">
        The movements of all your wallets, the newest first. Times and days are {zoneInWords(zone)}.
      </p>
      <FilterForm
        typed={typed}
        errors={errors}
        isFiltered={isFiltered}
        codes={wallets.map(({ code }) => code)}
        connections={listed}
      />
      <PendingPayments payments={pending} now={clock.now()} />
      {page === undefined ? (
        <p className="line mt-6 py-4 text-muted">Nothing is listed: correct the filter above.</p>
      ) : (
        <>
          {isIndexed(filter) ? null : (
            <p className="label mt-6">
              {page.isCut
                ? `This filter searches the newest ${SEARCHED.toLocaleString('en')} movements. Older movements were not searched: choose dates, a currency, a direction or a connection to search others.`
                : `This filter searches the newest ${SEARCHED.toLocaleString('en')} movements.`}
            </p>
          )}
          {page.movements.length === 0 ? (
            <p className="line mt-6 py-4 text-muted">{isFiltered ? 'No movement matches.' : 'No movements yet.'}</p>
          ) : (
            <ActivityTable movements={page.movements} zone={zone} />
          )}
          <p className="double-rule actions pt-4 print:hidden">
            {cursor === undefined ? null : (
              <Link className="tap" href={addressOf('/activity', typed)}>
                Newest
              </Link>
            )}
            {page.older === null ? null : (
              <Link className="tap" href={olderAddress(typed, page.older)}>
                Older
              </Link>
            )}
          </p>
          <Exports typed={typed} zone={zone} />
        </>
      )}
    </div>
  )
}

/** Their addresses have the zone, so that they keep their meaning. */
function Exports({ typed, zone }: { readonly typed: TypedFilter; readonly zone: string }) {
  return (
    <section aria-labelledby="export" className="mt-8 print:hidden">
      <h2 id="export">Export</h2>
      <p className="mt-2 text-muted">Every movement that the filter matches, not only this page.</p>
      <p className="actions mt-2">
        <a className="tap" href={addressOf('/activity/export', typed, { format: 'csv', zone })}>
          CSV
        </a>
        <a className="tap" href={addressOf('/activity/export', typed, { format: 'json', zone })}>
          JSON
        </a>
        <Link className="tap" href={statementAddress(typed, zone)}>
          Printable statement
        </Link>
      </p>
    </section>
  )
}

function addressOf(path: string, typed: TypedFilter, more: Readonly<Record<string, string>> = {}): string {
  const params = paramsOf(typed)
  for (const [name, value] of Object.entries(more)) params.set(name, value)
  return params.size === 0 ? path : `${path}?${params}`
}

function olderAddress(typed: TypedFilter, { before, searched }: Cursor): string {
  return addressOf('/activity', typed, {
    before: String(before),
    ...(searched === 0 ? {} : { searched: String(searched) }),
  })
}

function statementAddress({ from, to }: TypedFilter, zone: string): string {
  const params = new URLSearchParams({ ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }), zone })
  return `/activity/statement?${params}`
}

/** Undefined for the first page, and for a cursor that no page has written. */
function readCursor(before: string | undefined, searched = '0'): Cursor | undefined {
  if (before === undefined || !/^\d{1,18}$/.test(before) || !/^\d{1,5}$/.test(searched)) return undefined
  return { before: BigInt(before), searched: Math.min(Number(searched), SEARCHED) }
}
