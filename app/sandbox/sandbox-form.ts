import { application } from '@/lib/backend/application'
import { plainText } from '@/lib/platform/http/responses'
import { userForm } from '../../lib/web/form-handler'
import { hasSandboxTools } from '../has-sandbox-tools'

/** A form of the sandbox tools: 404 without them and before the team password. Otherwise it works like `userForm`. */
export function sandboxForm<Fields>(...form: Parameters<typeof userForm<Fields>>) {
  const handle = userForm(...form)
  return async (request: Request): Promise<Response> =>
    (await hasSandboxTools(application())) ? handle(request) : plainText(404, 'Not found.')
}
