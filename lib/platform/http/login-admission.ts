import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * The maximum number of running and queued password checks (lib/accounts/sign-in/passwords.ts). Next would have to render a
 * page to reject each further sign-in.
 */
const MAX_OPEN = 32
/** A browser sends a form at once. A request that is incomplete after this time may lose its slot. */
const COMPLETE_WITHIN_MS = 250
const SIGN_IN = '/api/auth/callback/credentials'

type SignInRequest = Pick<IncomingMessage, 'method' | 'url' | 'complete' | 'destroy'>
type SignInResponse = Pick<ServerResponse, 'once' | 'socket'>

/** Keeps a flood of sign-ins out of Next, so that Next can serve pages meanwhile. */
export interface LoginAdmission {
  /**
   * False when a sign-in must be rejected; true for other requests. When all slots are taken, the oldest sign-in that is
   * still incomplete after `COMPLETE_WITHIN_MS` is disconnected in favour of the new one.
   */
  admits(request: SignInRequest, response: SignInResponse): boolean
}

export function makeLoginAdmission(): LoginAdmission {
  /** Sign-ins with their time of arrival, the oldest first. */
  const open = new Map<SignInRequest, number>()

  function makeRoom(nowMs: number): boolean {
    if (open.size < MAX_OPEN) return true
    const slow = [...open].find(([{ complete }, sinceMs]) => !complete && nowMs - sinceMs >= COMPLETE_WITHIN_MS)?.[0]
    if (slow === undefined) return false
    open.delete(slow)
    slow.destroy()
    return true
  }

  return {
    admits(request, response) {
      if (request.method !== 'POST' || request.url?.split('?', 1)[0] !== SIGN_IN) return true
      // A pipelined request: Node emits no `close` for it when the connection is lost, so its slot would never be freed. No
      // browser pipelines a form.
      if (response.socket === null) return false
      const nowMs = performance.now()
      if (!makeRoom(nowMs)) return false
      open.set(request, nowMs)
      response.once('close', () => void open.delete(request))
      return true
    },
  }
}
