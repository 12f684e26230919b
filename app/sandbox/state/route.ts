import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { operateUsers } from '@/lib/accounts/operator'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { listDeskUsers } from '@/lib/sandbox/users/sandbox-page'

const Change = z.object({ user: z.string(), do: z.enum(['suspend', 'resume']) })

/** Suspends or resumes a user of the desk, as `npm run users` does. */
export const POST = sandboxForm(Change, async ({ app, username: reader, fields }) => {
  const user = (await listDeskUsers(app)).find(({ username }) => username === fields.user)
  if (user === undefined) return plainText(404, 'The desk has no such user. Nothing was changed.')
  const { username } = user
  // Presenters cannot suspend their own user, because they could not resume it.
  if (fields.do === 'suspend' && username === reader)
    return plainText(403, 'You are signed in as this user. Sign in as another user to suspend it. Nothing was changed.')
  // The command refuses a user who already has the state. The page shows the state either way.
  await operateUsers({ ...app, sandboxTools: app.settings.sandboxTools }, { do: fields.do, username })
  return seeOther(`/sandbox?changed=${encodeURIComponent(username)}`)
})
