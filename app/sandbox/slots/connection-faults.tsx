import { Success } from '@/components/ui/alert'
import { application } from '@/lib/backend/application'
import { listFaults, listOpenQuotes } from '@/lib/sandbox/faults/service'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { FAULT_ERRORS } from '../forms/faults/texts'
import { FaultsSection } from './faults-section'

const DONE = new Map(
  Object.entries({
    'fault-added': 'Fault added. It applies from the next call.',
    'fault-stopped': 'Fault stopped.',
    'quote-expired': 'Quote expired.',
    'connection-expired': 'Connection expired. The next call of the app is refused.',
  }),
)

/** What a form of the Faults section has done. */
export function FaultsDone({ done }: { readonly done: string | undefined }) {
  const text = DONE.get(done ?? '')
  return text === undefined ? null : <Success>{text}</Success>
}

interface Props {
  readonly username: string
  readonly connectionId: string
  readonly connectionName: string
  readonly query: Awaited<SearchParams>
}

/** The faults of an active connection. */
export async function ConnectionFaults({ username, connectionId, connectionName, query }: Props) {
  const { db, clock } = application()
  const [faults, quotes] = await Promise.all([
    listFaults(db, username, connectionId),
    listOpenQuotes(db, username, connectionId),
  ])
  return (
    <FaultsSection
      connectionId={connectionId}
      connectionName={connectionName}
      faults={faults}
      quotes={quotes}
      now={clock.now()}
      asksToExpire={query.expire !== undefined}
      typed={{
        kind: singleParam(query.kind),
        when: singleParam(query.when),
        calls: singleParam(query.calls),
        minutes: singleParam(query.minutes),
        seconds: singleParam(query.seconds),
      }}
      errors={readFormError(FAULT_ERRORS, singleParam(query.error))}
    />
  )
}
