import { z } from 'zod'
import type { Application } from '@/lib/backend/application'
import { seeOther } from '@/lib/platform/http/responses'
import { MINT_KINDS } from '@/lib/sandbox/tokens/mint-token'
import type { ErrorTexts } from '@/lib/web/form-errors'
import { MAX_SHOWN_ONCE_BYTES, openShownOnce, sealShownOnce } from '@/lib/web/shown-once'

export const TOKEN_PAGE = '/developers/token'
/** The part of the cookie that is available for the token. */
export const MAX_PASTED_BYTES = MAX_SHOWN_ONCE_BYTES - 100

const Shown = z.object({ token: z.string(), created: z.enum(MINT_KINDS).optional() })
/** The token that the page shows once, and how it was created here. */
export type ShownToken = z.infer<typeof Shown>

/** Errors of both forms. What was typed is a secret, so it is not in the address. */
export const TOKEN_ERRORS = {
  'token.missing': 'Paste a token.',
  'token.long': `This text is longer than ${MAX_PASTED_BYTES} bytes. A token has fewer than 1,024 characters, so every endpoint refuses this text with 401.`,
  'kind.rate': 'You can create 20 tokens a minute. No token was created. Wait a minute, then try again.',
  'kind.many':
    'The token exchange of this server answered 429. No token was created. You may have too many active connections: open Connections, revoke the unused ones, then try again.',
  'kind.exchange':
    'The token exchange of this server refused the request. No token was created. The Wire shows the call and the reason.',
} as const satisfies ErrorTexts

export function tokenError(key: keyof typeof TOKEN_ERRORS): Response {
  return seeOther(`${TOKEN_PAGE}?error=${key}#${key.slice(0, key.indexOf('.'))}`)
}

/** Sends the browser to the page, which shows the token once. */
export async function showToken({ settings }: Application, username: string, shown: ShownToken): Promise<Response> {
  const cookie = await sealShownOnce(settings, username, TOKEN_PAGE, JSON.stringify(shown))
  return seeOther(`${TOKEN_PAGE}#result`, cookie)
}

export async function readShownToken(
  { settings }: Application,
  username: string,
  sealed: string | null,
): Promise<ShownToken | undefined> {
  const text = await openShownOnce(settings, username, TOKEN_PAGE, sealed)
  return text === undefined ? undefined : Shown.parse(JSON.parse(text))
}
