import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { scriptPath } from './script'

export interface Flood {
  /** What the flood got, one text for each of its requests. */
  readonly answers: readonly string[]
  /** How long each call beside it took. */
  readonly waitsMs: readonly number[]
}

/** This many sign-ins at once, each with another name: `CredentialsSignin`, or `503, retry after … s`. */
export async function floodSignIns(vaspOrigin: string, count: number, call: () => Promise<void>): Promise<Flood> {
  const response = await fetch(`${vaspOrigin}/api/auth/csrf`)
  const { csrfToken } = (await response.json()) as { csrfToken: string }
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return beside('sign-in-flood', [vaspOrigin, csrfToken, cookies.join('; '), String(count)], call)
}

/** This many calls at once over one connection: `answered`, or the code of an error. */
export function floodConnection(pairingUri: string, count: number, call: () => Promise<void>): Promise<Flood> {
  return beside('nwc-flood', [pairingUri, String(count)], call)
}

/** The flood is a process of its own, so that sending it does not slow the calls, which follow one another until it ends. */
async function beside(script: string, args: readonly string[], call: () => Promise<void>): Promise<Flood> {
  const path = scriptPath(`test/programs/${script}.ts`)
  const waitsMs: number[] = []
  const ended = { yes: false }
  const flood = promisify(execFile)(process.execPath, [path, ...args]).finally(() => (ended.yes = true))
  // Reported when it is awaited below.
  flood.catch(() => undefined)
  do {
    const startedAt = performance.now()
    await call()
    waitsMs.push(Math.round(performance.now() - startedAt))
  } while (!ended.yes)
  return { answers: JSON.parse((await flood).stdout) as string[], waitsMs }
}
