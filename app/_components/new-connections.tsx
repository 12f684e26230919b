import { FreshNotice } from '@/app/(dashboard)/_components/fresh-notice'
import { freshConnections } from '@/lib/connections/queries'
import { deps } from '@/lib/deps'

/** The notice about connections of the last ten minutes, for every page that their owner sees. */
export async function NewConnections({ username }: { readonly username: string }) {
  const fresh = await freshConnections(deps(), username)
  return <FreshNotice initial={fresh.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() }))} />
}
