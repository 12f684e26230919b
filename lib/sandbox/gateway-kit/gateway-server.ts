import type { Clock } from '../../platform/clock'
import { isFetchError } from '../../platform/net/fetch-error'
import { makeGuardedFetch, type GuardedAnswer, type GuardedFetch } from '../../platform/net/guarded-fetch'
import { singleton } from '../../platform/process-singletons'

/** Login tokens live ten minutes, so a smaller difference refuses none of them. */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 60

const LOGIN_URL_TAG = 'uma-vasp-login-url'
const MAX_TAG_LENGTH = 2_000

export interface GatewayAnswer extends GuardedAnswer {
  /** Seconds by which the clock of the `Date` header is ahead of ours; negative: behind. Undefined without the header. */
  readonly secondsAhead: number | undefined
}

/** `problem` is a part of a sentence: "ECONNREFUSED". */
export type GatewayReply = GatewayAnswer | { readonly problem: string; readonly isUnread: boolean }

/** GATEWAY_ROOT_URL without a slash at its end. */
export function rootOf({ gatewayRootUrl }: { readonly gatewayRootUrl: URL }): string {
  return gatewayRootUrl.href.replace(/\/$/, '')
}

/** Sends one GET request to an address below the configured root. Redirects are answers and are not followed. Never rejects. */
export async function askGateway(
  root: string,
  address: string,
  { clock, totalMs }: { readonly clock: Clock; readonly totalMs?: number },
): Promise<GatewayReply> {
  const startedMs = clock.now().getTime()
  try {
    const answer = await fetchOf(root)(address, {
      headers: { Accept: 'text/html' },
      acceptsRedirects: true,
      // An idle connection may be closed, and a second request would be a second login.
      isIdempotent: false,
      ...(totalMs === undefined ? {} : { totalMs }),
    })
    return { ...answer, secondsAhead: secondsAhead(answer.headers?.date, startedMs, clock.now().getTime()) }
  } catch (error) {
    if (!isFetchError(error)) throw error
    const { code } = (error.cause ?? {}) as { readonly code?: string }
    const isUnread = error.problem === 'answer'
    if (error.problem !== 'late') return { problem: code ?? error.message, isUnread }
    return { problem: totalMs === undefined ? error.message : `none within ${totalMs / 1_000} seconds`, isUnread }
  }
}

/** One for each root, so that all requests to a gateway share its limits. */
function fetchOf(root: string): GuardedFetch {
  const { origin } = new URL(root)
  return singleton(`gateway fetch ${origin}`, () => makeGuardedFetch({ localPeers: [], configuredOrigins: [origin] }))
}

/** The server read its clock between the two readings of ours. The header has whole seconds. */
function secondsAhead(date: string | undefined, startedMs: number, endedMs: number): number | undefined {
  const atMs = Date.parse(date ?? '')
  if (Number.isNaN(atMs)) return undefined
  const differenceMs = atMs > endedMs ? atMs - endedMs : Math.min(0, atMs + 1_000 - startedMs)
  return Math.round(differenceMs / 1_000)
}

/** "11 minutes ahead of ours" */
export function clockText(seconds: number): string {
  const length = Math.abs(seconds)
  const text = length < 120 ? `${length} seconds` : `${Math.round(length / 60)} minutes`
  return `${text} ${seconds > 0 ? 'ahead of' : 'behind'} ours`
}

/** The login URL in the page of a gateway; undefined for the page of any other program. */
export function loginUrlOfPage(html: string): string | undefined {
  const at = html.indexOf(`"${LOGIN_URL_TAG}"`)
  const tag = at < 0 ? '' : html.slice(html.lastIndexOf('<', at), at + MAX_TAG_LENGTH).split('>', 1)[0]
  if (tag?.startsWith('<meta ') !== true) return undefined
  return /\scontent="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&')
}
