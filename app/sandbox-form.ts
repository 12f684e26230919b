import { isPastTeamGate } from '@/lib/accounts/session'
import { application, type Application } from '@/lib/backend/application'
import { plainText } from '@/lib/platform/http/page-answers'
import { userForm } from './user-form'

/** Whether this browser may use the pages of the sandbox tools: they are on, and it has passed the team gate. */
export async function hasSandboxTools(app: Application): Promise<boolean> {
  return app.settings.sandboxTools && (await isPastTeamGate(app))
}

/** A form of the sandbox tools: 404 without them and before the team password. Otherwise it works like `userForm`. */
export function sandboxForm<Fields>(...form: Parameters<typeof userForm<Fields>>) {
  const handle = userForm(...form)
  return async (request: Request): Promise<Response> =>
    (await hasSandboxTools(application())) ? handle(request) : plainText(404, 'Not found.')
}
