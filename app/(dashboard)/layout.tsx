import type { ReactNode } from 'react'
import { gatewayAddress } from '@/lib/ui/gateway-address'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { UserHeader } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { countOpenRequests } from '@/lib/uma/invoices/requests'
import { FormUser } from '@/components/user-form'
import { requireUser } from './require-user'

/** Every page below needs a session, and reads it again when the page is rendered without its layout. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const user = await requireUser()
  const [gateway, requests] = await Promise.all([
    gatewayAddress(application().settings),
    countOpenRequests(application().db, user.username),
  ])
  return (
    <>
      <UserHeader user={user} gateway={gateway} requests={requests} />
      <Main>
        <div className="page line">
          <News username={user.username} requests={requests} />
          <FormUser value={user.username}>{children}</FormUser>
        </div>
      </Main>
    </>
  )
}
