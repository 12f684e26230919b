import { FreshNotice } from '@/app/(dashboard)/_components/fresh-notice'
import { freshConnections } from '@/lib/connections/queries'
import { deps } from '@/lib/deps'

/** The notice about connections of the last ten minutes, for every page that their owner sees. */
export async function NewConnections({ username }: { readonly username: string }) {
  const current = deps()
  const fresh = await freshConnections(current, username)
  const connections = fresh.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() }))
  return <FreshNotice initial={{ connections, atMs: current.clock.now().getTime() }} />
}
