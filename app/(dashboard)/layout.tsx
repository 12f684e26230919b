import type { ReactNode } from 'react'
import { LiveEvents } from '@/components/live-events'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { FormUser } from '@/components/user-form'
import { UserHeader } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { eventReaderOf, newestEventId } from '@/lib/events/queries'
import { gatewayAddress } from '@/lib/web/gateway-address'
import { requireUser } from './require-user'

/** Every page below needs a session. A page reads it again, because it may be rendered without this layout. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const user = await requireUser()
  const current = application()
  const { db, settings, umaInvoices } = current
  // Read before the page's data, so that the stream repeats events that happen in between.
  const newestId = settings.sandboxTools
    ? await newestEventId(current, eventReaderOf(settings, user.username))
    : undefined
  const [gateway, requests] = await Promise.all([
    gatewayAddress(settings),
    umaInvoices?.countOpenRequests(db, user.username),
  ])
  return (
    <LiveEvents username={user.username} afterId={newestId?.toString()}>
      <UserHeader user={user} gateway={gateway} requests={requests} developers={application().settings.sandboxTools} />
      <Main>
        <div className="page line">
          <News username={user.username} requests={requests ?? 0} />
          <FormUser value={user.username}>{children}</FormUser>
        </div>
      </Main>
    </LiveEvents>
  )
}
