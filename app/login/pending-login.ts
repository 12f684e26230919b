import { cookies } from 'next/headers'
import type { Settings } from '@/lib/platform/config'
import { cookieName } from '@/lib/platform/http/cookies'
import { backFrom } from '@/lib/web/login-address'

interface Given {
  readonly pending: string | undefined
  readonly error: string | undefined
}

/**
 * The gateway's request that this sign-in belongs to. After a failed attempt the sign-in library returns without it, but
 * its cookie still has the destination. The text is signed and checked when it is read.
 */
export async function pendingLogin(settings: Settings, given: Given): Promise<string | undefined> {
  if (given.pending !== undefined || given.error === undefined) return given.pending
  const wasGoingTo = await callbackOf(settings)
  if (wasGoingTo === undefined || !URL.canParse(wasGoingTo, settings.publicOrigin)) return undefined
  const target = new URL(wasGoingTo, settings.publicOrigin)
  return target.pathname === '/connect' ? (target.searchParams.get('pending') ?? undefined) : undefined
}

/** Our own page to return to after signing in, kept after a failed attempt. */
export async function pendingBack(
  settings: Settings,
  { back, error }: { readonly back: string | undefined; readonly error: string | undefined },
): Promise<string | undefined> {
  const url = back ?? (error === undefined ? undefined : await callbackOf(settings))
  return backFrom(url, settings.publicOrigin)
}

/** The destination that the sign-in library keeps in its cookie. */
async function callbackOf(settings: Settings): Promise<string | undefined> {
  return (await cookies()).get(cookieName(settings, 'callback'))?.value
}
