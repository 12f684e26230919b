import type { IncomingMessage, ServerResponse } from 'node:http'

/** As many as the password work takes and lets wait: more would only be turned away later, at a page's price. */
const MOST_OPEN = 32
/** A form comes whole, or in packets one after the other: who has not finished by then keeps nobody out. */
const FINISHED_WITHIN_MS = 250
const SIGN_IN = '/api/auth/callback/credentials'

type SignInRequest = Pick<IncomingMessage, 'method' | 'url' | 'complete' | 'destroy'>
type SignInResponse = Pick<ServerResponse, 'once' | 'socket'>

/** Keeps a flood of sign-ins out of Next, so that the pages of everybody else are served meanwhile. */
export interface SignInGate {
  /**
   * False when a sign-in must be turned away; true for it and for anything else. Where all places are taken, the one that
   * has been sending its form for the longest is cut off for it.
   */
  admits(request: SignInRequest, response: SignInResponse): boolean
}

export function makeSignInGate(): SignInGate {
  /** Since when, the oldest first. */
  const open = new Map<SignInRequest, number>()

  function makeRoom(nowMs: number): boolean {
    if (open.size < MOST_OPEN) return true
    const late = [...open].find(([{ complete }, sinceMs]) => !complete && nowMs - sinceMs >= FINISHED_WITHIN_MS)?.[0]
    if (late === undefined) return false
    open.delete(late)
    late.destroy()
    return true
  }

  return {
    admits(request, response) {
      if (request.method !== 'POST' || request.url?.split('?', 1)[0] !== SIGN_IN) return true
      // A request that was sent before the one in front of it is answered: node says nothing of its end when the connection
      // is lost, so it would keep its place for ever. No browser sends a form like that.
      if (response.socket === null) return false
      const nowMs = performance.now()
      if (!makeRoom(nowMs)) return false
      open.set(request, nowMs)
      response.once('close', () => void open.delete(request))
      return true
    },
  }
}
