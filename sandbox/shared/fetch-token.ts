const SIGN_IN_MS = 30_000

export interface TokenRequest {
  readonly vaspOrigin: string
  readonly gatewayRootUrl: string
  /** Short name of the instance, in its cookie names. */
  readonly instance: string
  readonly username: string
  readonly password: string
  /** The team password of a shared sandbox (`SANDBOX_TOOLS=private`). */
  readonly teamPassword?: string | undefined
  readonly permissions: readonly string[]
  readonly expiration?: number | undefined
}

/**
 * Runs the login flow without a browser: sign in, login redirect, token exchange. Returns the long-lived token. The
 * redirect URI names `npm run token`, so that the VASP does not show the gateway's own site as the requester.
 */
export async function fetchToken(request: TokenRequest): Promise<string> {
  const login = await fetchLoginToken(request, '?client_id=npm+run+token')
  const body = {
    permissions: request.permissions,
    ...(request.expiration === undefined ? {} : { expiration: request.expiration }),
  }
  const response = await fetch(`${request.vaspOrigin}/umanwc/v1/token`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${login}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { token?: string; error?: string }
  if (answer.token === undefined)
    throw new Error(`The token exchange answered ${response.status}: ${answer.error ?? 'no token'}`)
  return answer.token
}

/** The short-lived token that the login redirect passes to the gateway. */
export async function fetchLoginToken(
  request: Omit<TokenRequest, 'permissions' | 'expiration'>,
  query = '',
): Promise<string> {
  const cookie = await signIn(request)
  const redirectUri = `${request.gatewayRootUrl}/auth/vasp_token_callback${query}`
  const response = await fetch(`${request.vaspOrigin}/connect?redirect_uri=${encodeURIComponent(redirectUri)}`, {
    redirect: 'manual',
    headers: { Cookie: cookie },
  })
  const location = response.headers.get('location')
  const token = location !== null && URL.canParse(location) ? new URL(location).searchParams.get('token') : null
  if (token === null) {
    throw new Error(
      `The login redirect answered ${response.status} without a token: is the server set to a gateway other than ${request.gatewayRootUrl}? Give this command the same GATEWAY_PORT or GATEWAY_ROOT_URL.`,
    )
  }
  return token
}

/** Signs in with name and password; returns the session cookie as a Cookie header. */
export async function signIn(
  request: Pick<TokenRequest, 'vaspOrigin' | 'instance' | 'username' | 'password' | 'teamPassword'>,
): Promise<string> {
  const team = request.teamPassword === undefined ? '' : await passTeamGate(request.vaspOrigin, request.teamPassword)
  const csrf = await fetch(`${request.vaspOrigin}/api/auth/csrf`, { signal: AbortSignal.timeout(SIGN_IN_MS) })
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const response = await fetch(`${request.vaspOrigin}/api/auth/callback/credentials`, {
    signal: AbortSignal.timeout(SIGN_IN_MS),
    method: 'POST',
    redirect: 'manual',
    headers: {
      Cookie: [cookiesOf(csrf), team].filter((each) => each !== '').join('; '),
      Origin: request.vaspOrigin,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ csrfToken, username: request.username, password: request.password }),
  })
  const cookies = cookiesOf(response)
  if (response.headers.get('location')?.includes('error=Suspended') === true)
    throw new Error(`${request.username} is suspended. Resume it: npm run users -- resume ${request.username}`)
  if (!cookies.includes(`${request.instance}.session=`)) {
    throw new Error(
      `Sign-in as ${request.username} was refused: there is no such user, or the password is wrong. Send the user's password with --password-stdin, or set SANDBOX_PASSWORD to the server's value.`,
    )
  }
  return cookies
}

/** Enters the team password of a shared sandbox; returns the cookie that proves it. */
async function passTeamGate(vaspOrigin: string, teamPassword: string): Promise<string> {
  const response = await fetch(`${vaspOrigin}/login/team`, {
    signal: AbortSignal.timeout(SIGN_IN_MS),
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: vaspOrigin, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ team_password: teamPassword }),
  })
  // The page also sets a cookie against forged forms; sign-in sets its own.
  const cookie = cookiesOf(response)
    .split('; ')
    .find((each) => /^[^=]+\.team=/.test(each))
  if (cookie === undefined)
    throw new Error("The team password was refused: set SANDBOX_TEAM_PASSWORD to the server's value.")
  return cookie
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
