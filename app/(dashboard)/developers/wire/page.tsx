import { COMMANDS } from 'uma-auth-vasp'
import { toolsTitle } from '@/app/sandbox/tool-page'
import { Field, Select } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { listConnections } from '@/lib/connections/queries'
import { toLiveEvent } from '@/lib/events/live-event'
import { countCallsByCode, listEvents } from '@/lib/events/queries'
import { EVENT_KINDS } from '@/lib/events/types'
import { nodeReport } from '@/lib/platform/readiness'
import { channelsInWords } from '@/lib/sandbox/wire/channels-in-words'
import { LONGEST_TEXT, readWireQuery, toFilter, wireAddress, type WireQuery } from '@/lib/sandbox/wire/filter'
import { KIND_NAMES } from '@/lib/sandbox/wire/kinds'
import { WORDS } from '@/lib/sandbox/wire/reference'
import { receiversOf } from '@/lib/sandbox/wire/subject'
import type { SearchParams } from '@/lib/web/search-params'
import { Errors } from '../errors-by-code'
import { WireList } from './wire-list'
import { requireWireReader } from './wire-reader'

export const generateMetadata = toolsTitle('The Wire')

const PAGE_SIZE = 100
/** The maximum number of connections in the filter. The entry of any other connection links to this page. */
const MOST_LISTED = 50

interface Props {
  readonly searchParams: SearchParams
}

export default async function WirePage({ searchParams }: Props) {
  const reader = await requireWireReader()
  const query = readWireQuery(await searchParams)
  const { kind, ...filter } = toFilter(query)
  const current = application()
  const [events, { connections }, calls, report] = await Promise.all([
    listEvents(current, reader, {
      ...filter,
      kinds: kind === undefined ? undefined : [kind],
      beforeId: query.before,
      limit: PAGE_SIZE + 1,
    }),
    listConnections(current, reader.userId, { tab: 'active', size: MOST_LISTED }),
    countCallsByCode(current, reader),
    nodeReport(current),
  ])
  const rows = events.slice(0, PAGE_SIZE).map(toLiveEvent)
  const paid = rows.flatMap((row) => (row.kind === 'payment' && row.paymentHash !== null ? [row.paymentHash] : []))
  const receivers = await receiversOf(current.db, reader.userId, [...new Set(paid)])
  const oldest = events.length > PAGE_SIZE ? rows.at(-1) : undefined
  const { before, story, ...shown } = query
  const filtered = { ...shown, story }
  const isPart = oldest !== undefined || before !== undefined || Object.values(shown).some((value) => value !== '')
  return (
    <div className="py-8">
      <h1>The Wire</h1>
      <p className="mt-3 max-w-2xl text-muted">
        What this server received and sent for you: API calls, token exchanges, logins, UMA and Lightning messages,
        including refused ones. Events are kept for 24 hours, without tokens and personal data. Times are UTC.
      </p>
      {report === undefined ? null : (
        <p className="mt-3 max-w-2xl text-muted">The Lightning node has {channelsInWords(report)}</p>
      )}
      <FilterForm query={query} connections={connections} />
      {story === '' ? null : (
        <p className="actions mt-4">
          <span>Only the events of one payment or request.</span>
          <Link className="tap" href={wireAddress(shown)}>
            Show all
          </Link>
        </p>
      )}
      <WireList
        key={wireAddress(query)}
        initial={rows}
        filter={{ kind, ...filter }}
        words={WORDS}
        receivers={receivers}
        isPart={isPart}
        isWhole={filter.story !== undefined}
        isLive={before === undefined}
      />
      <p className="double-rule actions pt-4">
        {before === undefined ? null : (
          <Link className="tap" href={wireAddress(filtered)}>
            Newest
          </Link>
        )}
        {oldest === undefined ? null : (
          <Link className="tap" href={wireAddress({ ...filtered, before: BigInt(oldest.id) })}>
            Older
          </Link>
        )}
        <a className="tap" href={wireAddress(filtered, '/developers/wire/export')}>
          JSON
        </a>
      </p>
      <Errors calls={calls} now={current.clock.now()} />
    </div>
  )
}

interface FilterFormProps {
  readonly query: WireQuery
  readonly connections: readonly { readonly id: string; readonly name: string }[]
}

/** A plain form, so that the filter is in the address and works without JavaScript. */
function FilterForm({ query, connections }: FilterFormProps) {
  const { show, connection, status, text, story } = query
  const isListed = connection === '' || connections.some(({ id }) => id === connection)
  const isFiltered = [show, connection, status, text, story].some((value) => value !== '')
  return (
    <form
      action="/developers/wire"
      aria-label="Filter"
      className="mt-6 grid grid-cols-2 items-end gap-x-4 gap-y-3 md:grid-cols-[1fr_1fr_8rem_1fr_auto]"
    >
      {story === '' ? null : <input type="hidden" name="story" value={story} />}
      <Select
        label="Show"
        name="show"
        chosen={show}
        options={[
          ['', 'Everything'],
          ...EVENT_KINDS.map((kind) => [kind, KIND_NAMES[kind]] as const),
          ...COMMANDS.map(({ name }) => [name, `Command ${name}`] as const),
        ]}
      />
      <Select
        label="Connection"
        name="connection"
        chosen={connection}
        options={[
          ['', 'All'],
          ...(isListed ? [] : [[connection, `${connection.slice(0, 8)}…`] as const]),
          ...connections.map(({ id, name }) => [id, name] as const),
        ]}
      />
      <Select
        label="Status"
        name="status"
        chosen={status}
        options={[
          ['', 'All'],
          ['ok', 'Successful'],
          ['failed', 'Failed'],
        ]}
      />
      <Field label="Text" name="text" value={text} className="" maxLength={LONGEST_TEXT} type="search" />
      <p className="actions max-md:col-span-full">
        <button className="button">Filter</button>
        {isFiltered ? (
          <Link className="tap" href="/developers/wire">
            Clear
          </Link>
        ) : null}
      </p>
    </form>
  )
}
