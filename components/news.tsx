import { application } from '@/lib/backend/application'
import type { FreshConnection } from '@/lib/connections/queries'
import { NewsBanner } from './news-banner'

interface Props {
  readonly connections: readonly (Omit<FreshConnection, 'createdAt'> & { readonly createdAt: Date | string })[]
  /** Open requests for money. */
  readonly requests?: number | undefined
}

/** The notices about connections of the last ten minutes and about open requests for money, for every page of their owner. */
export function News({ connections, requests = 0 }: Props) {
  const fresh = connections.map((each) => ({ ...each, createdAt: new Date(each.createdAt).toISOString() }))
  return <NewsBanner initial={{ connections: fresh, requests, atMs: application().clock.now().getTime() }} />
}
