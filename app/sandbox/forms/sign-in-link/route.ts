import { openBrowserSession } from '@/lib/accounts/sessions/open-session'
import { readBody } from '@/lib/platform/http/read-body'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { takeSignInCode } from '@/lib/sandbox/users/sign-in-code'
import { fieldOf } from '@/lib/web/form-fields'
import { sameOriginForm } from '@/lib/web/form-handler'

/** Signs in with the code of a link, which is valid once. */
export const POST = sameOriginForm('no one was signed in', async (current, request) => {
  if (!current.settings.sandboxTools) return plainText(404, 'Not found.')
  const form = new URLSearchParams(await readBody(request))
  const username = await takeSignInCode(current.db, fieldOf(form, 'code') ?? '')
  if (username === undefined) return seeOther('/login/link')
  await openBrowserSession(current, username)
  return seeOther('/wallets')
})
