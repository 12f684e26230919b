import { operateUsers, UsersRequest } from '@/lib/accounts/operator'
import { operatorPost } from '../operator-post'

export const dynamic = 'force-dynamic'

/** The operator's commands for users. `npm run users` calls it. */
export const POST = operatorPost('users', UsersRequest, (app, request) =>
  operateUsers({ ...app, sandboxTools: app.settings.sandboxTools }, request),
)
