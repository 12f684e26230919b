import type { Settings } from '../lib/platform/config'

/** A user that exists for one run, as `POST /sandbox/users` answers. */
export interface RunUser {
  readonly username: string
  readonly password: string
  readonly manageToken: string
}

/** How a user of this VASP signs out and revokes connections. A temporary user is asked before the sign-out, by a form that names the user. */
export const stepsOf = (publicOrigin: string, username: string) => ({
  signOut: [{ url: `${publicOrigin}/sign-out`, form: '/logout', fields: { asked: username } }],
  revoke: [{ url: `${publicOrigin}/connections?revoke-today`, form: '/revoke-today', fields: {} }],
})

type SandboxSettings = Pick<Settings, 'publicOrigin' | 'teamPassword'>

/**
 * Creates a user of the running demo.
 * @throws Error with one line that says what to do.
 */
export async function createRunUser(settings: SandboxSettings, currencies: readonly string[]): Promise<RunUser> {
  const body = JSON.stringify({ currencies })
  const response = await call(settings, '', { method: 'POST', body }, { 'Content-Type': 'application/json' })
  if (response.status === 201) return (await response.json()) as RunUser
  throw new Error(
    `The demo at ${settings.publicOrigin} created no user (${response.status}): ${await messageOf(response)}`,
  )
}

/** Deletes the user. A failure is only reported, because the server closes a user that is no longer used. */
export async function deleteRunUser(settings: SandboxSettings, { username, manageToken }: RunUser): Promise<void> {
  try {
    const response = await call(settings, `/${username}`, { method: 'DELETE' }, { 'X-Manage-Token': manageToken })
    if (response.status === 204) return
    console.error(`The user ${username} was not deleted (${response.status}): ${await messageOf(response)}`)
  } catch (error) {
    console.error(`The user ${username} was not deleted: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function call(
  { publicOrigin, teamPassword }: SandboxSettings,
  path: string,
  request: { readonly method: 'POST' | 'DELETE'; readonly body?: string },
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const all = new Headers(headers)
  if (teamPassword !== undefined) all.set('Authorization', `Bearer ${teamPassword}`)
  try {
    const url = `${publicOrigin}/sandbox/users${path}`
    return await fetch(url, { ...request, headers: all, signal: AbortSignal.timeout(30_000) })
  } catch (error) {
    throw new Error(`The demo at ${publicOrigin} does not answer. Start it with npm run demo.`, { cause: error })
  }
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    return String((JSON.parse(text) as { message?: unknown }).message)
  } catch {
    return text.slice(0, 200)
  }
}
