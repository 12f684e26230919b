import { application } from '@/lib/backend/application'
import { freshConnections } from '@/lib/connections/queries'
import { NewsBanner } from './news-banner'

/** The notices about connections of the last ten minutes and about open requests for money, for every page of their owner. */
export async function News({ username, requests }: { readonly username: string; readonly requests: number }) {
  const current = application()
  const fresh = await freshConnections(current, username)
  const connections = fresh.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() }))
  return <NewsBanner initial={{ connections, requests, atMs: current.clock.now().getTime() }} />
}
