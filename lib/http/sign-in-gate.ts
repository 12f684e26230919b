import type { IncomingMessage, ServerResponse } from 'node:http'

/** As many as the password work takes and lets wait: more would only be turned away later, at a page's price. */
const MOST_OPEN = 32
/** A sender that never finishes its form holds its place no longer than this. */
const LONGEST_HOLD_MS = 5_000
const SIGN_IN = '/api/auth/callback/credentials'

/** Keeps a flood of sign-ins out of Next, so that the pages of everybody else are served meanwhile. */
export interface SignInGate {
  /** False when a sign-in must be turned away; true for it and for anything else. */
  admits(request: Pick<IncomingMessage, 'method' | 'url'>, response: Pick<ServerResponse, 'once'>): boolean
}

export function makeSignInGate(): SignInGate {
  let open = 0
  return {
    admits(request, response) {
      if (request.method !== 'POST' || request.url?.split('?', 1)[0] !== SIGN_IN) return true
      if (open >= MOST_OPEN) return false
      open += 1
      let held = true
      const release = (): void => {
        if (held) open -= 1
        held = false
        clearTimeout(timer)
      }
      const timer = setTimeout(release, LONGEST_HOLD_MS)
      timer.unref()
      response.once('close', release)
      return true
    },
  }
}
