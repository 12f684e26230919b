import { TEAM_COOKIE_SECONDS, teamCookie, tryTeamPassword } from '@/lib/accounts/sign-in/team-gate'
import { setCookie } from '@/lib/platform/http/cookies'
import { localUrl } from '@/lib/platform/http/local-url'
import { CLIENT_ADDRESS_HEADER } from '@/lib/platform/http/networks'
import { readBody } from '@/lib/platform/http/read-body'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { fieldOf } from '@/lib/web/form-fields'
import { sameOriginForm } from '@/lib/web/form-handler'

/** Opens the gate of a shared sandbox, and returns to the page that asked for the team password. */
export const POST = sameOriginForm('the team password was not checked', async (app, request) => {
  const { settings } = app
  if (settings.teamPassword === undefined) return plainText(404, 'Not found.')
  const form = new URLSearchParams(await readBody(request))
  const back = localUrl(fieldOf(form, 'back') ?? '/login', settings.publicOrigin)
  // A password is compared as typed.
  const result = await tryTeamPassword(
    app,
    form.get('team_password') ?? '',
    request.headers.get(CLIENT_ADDRESS_HEADER) ?? '',
  )
  if (result !== true) return seeOther(withError(back, settings.publicOrigin, result))
  return seeOther(back, setCookie(settings, 'team', teamCookie(settings), TEAM_COOKIE_SECONDS))
})

/** The whole URL, as `localUrl` returns it: its path alone may name another host. */
function withError(back: string, publicOrigin: string, result: number | false): string {
  const url = new URL(back, publicOrigin)
  url.searchParams.set('team', result === false ? 'wrong' : `wait-${result}`)
  return url.href
}
