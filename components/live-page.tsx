import type { EventKind } from '@/lib/events/types'
import { LiveRefresh } from './live-refresh'
import { pageEventId } from './page-event'

/** Renders the page again after an event of these kinds. Without a stream, the page changes only when it is loaded again. */
export function LivePage({ kinds }: { readonly kinds: readonly EventKind[] }) {
  const afterId = pageEventId()
  return afterId === undefined ? null : <LiveRefresh kinds={kinds} afterId={afterId.toString()} />
}
