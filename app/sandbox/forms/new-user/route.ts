import { isPastTeamGate } from '@/lib/accounts/sessions/current-user'
import { openBrowserSession } from '@/lib/accounts/sessions/open-session'
import { localUrl } from '@/lib/platform/http/local-url'
import { CLIENT_ADDRESS_HEADER } from '@/lib/platform/http/networks'
import { readBody } from '@/lib/platform/http/read-body'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { consumeUserCreation, createSandboxUser } from '@/lib/sandbox/users/sandbox-users'
import { fieldOf } from '@/lib/web/form-fields'
import { sameOriginForm } from '@/lib/web/form-handler'

/** Creates a user for this visitor alone, signs it in, and continues to where the sign-in page was leading. */
export const POST = sameOriginForm('no user was created', async (current, request) => {
  const { settings } = current
  if (!settings.sandboxTools) return plainText(404, 'This server creates no users.')
  const form = new URLSearchParams(await readBody(request))
  const pathIn = (field: string, otherwise: string) =>
    localUrl(fieldOf(form, field) ?? otherwise, settings.publicOrigin)
  if (!(await isPastTeamGate(current))) return seeOther(pathIn('back', '/login'))
  const refused = (error: string): Response => {
    const back = new URL(pathIn('back', '/login'), settings.publicOrigin)
    back.searchParams.set('error', error)
    // The whole URL, as `localUrl` returns it: its path alone may name another host.
    return seeOther(back.href)
  }
  const seconds = consumeUserCreation(settings, request.headers.get(CLIENT_ADDRESS_HEADER) ?? '')
  if (seconds !== undefined) return refused(`TooManyUsers-${Math.min(seconds, 999)}`)
  const user = await createSandboxUser(current)
  if (user === 'full') return refused('SandboxFull')
  await openBrowserSession(current, user.username)
  return seeOther(pathIn('callbackUrl', '/wallets'))
})
