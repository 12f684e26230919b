import type { ReactNode } from 'react'
import { LiveEvents } from '@/components/live-events'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { FormUser } from '@/components/user-form'
import { userHeader } from '@/components/user-header'
import { requireFrame } from './require-user'

/**
 * Every page below needs a session. A page asks for the user too, because it may be rendered without this layout. The frame is read
 * before the page's data, so that the stream repeats events that happen in between.
 */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const frame = await requireFrame()
  const { username } = frame.user
  return (
    <LiveEvents username={username} afterId={frame.newestEventId?.toString()}>
      {await userHeader(frame)}
      <Main>
        <div className="page line">
          <News connections={frame.connections} requests={frame.requests} />
          <FormUser value={username}>{children}</FormUser>
        </div>
      </Main>
    </LiveEvents>
  )
}
