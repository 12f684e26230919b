import { application } from '@/lib/backend/application'
import { toLiveEvent } from '@/lib/events/live-event'
import { eventReaderOf, listEvents } from '@/lib/events/queries'
import { WORDS } from '@/lib/sandbox/wire/reference'
import { receiversOf } from '@/lib/sandbox/wire/subject'
import { WireList } from '../developers/wire/wire-list'

/** As many as an audience can take in. New ones are added above them. */
const NEWEST = 20

/** The newest events of the user, and each new one as it happens, as the Wire shows them. */
export async function Calls({ username }: { readonly username: string }) {
  const current = application()
  const reader = eventReaderOf(current.settings, username)
  const events = await listEvents(current, reader, { limit: NEWEST })
  const rows = events.map(toLiveEvent)
  const paid = rows.flatMap((row) => (row.kind === 'payment' && row.paymentHash !== null ? [row.paymentHash] : []))
  return (
    <WireList
      key={username}
      initial={rows}
      filter={{}}
      words={WORDS}
      receivers={await receiversOf(current.db, username, [...new Set(paid)])}
      isPart={events.length === NEWEST}
      isWhole={false}
      isLive
    />
  )
}
