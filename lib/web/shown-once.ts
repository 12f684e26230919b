import { createHash } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import type { Settings } from '../platform/config'
import { setCookie } from '../platform/http/cookies'

/** The header in which `proxy.ts` passes the cookie to the page. The answer deletes the cookie. */
export const SHOWN_ONCE_HEADER = 'x-shown-once'
/** The pages that show a result once. Other pages, for example in another tab, do not delete the cookie. */
const PAGES = ['/developers/token', '/settings', '/wallets/send'] as const
export type ShownOncePage = (typeof PAGES)[number]
export const SHOWN_ONCE_PAGES: ReadonlySet<string> = new Set(PAGES)
/** The maximum time between the answer to the form and the request for the page. */
const SECONDS = 60
/** Browsers keep cookies of up to 4,096 bytes. Encryption and the surrounding JSON make the text a third longer. */
export const MAX_SHOWN_ONCE_BYTES = 2_600

type SealSettings = Pick<Settings, 'instance' | 'publicOrigin' | 'nextAuthSecret'>

/**
 * Passes a form result to the page that shows it, in an encrypted cookie that the first request for the page deletes:
 * a secret, which must appear in no address, or the text of another party, which an address must not be able to supply.
 * Any process of this instance can show it, and no other page does.
 * @returns the value of Set-Cookie. @throws RangeError for a text longer than `MAX_SHOWN_ONCE_BYTES`.
 */
export async function sealShownOnce(
  settings: SealSettings,
  username: string,
  page: ShownOncePage,
  text: string,
): Promise<Readonly<Record<'Set-Cookie', string>>> {
  if (Buffer.byteLength(text) > MAX_SHOWN_ONCE_BYTES) throw new RangeError('the text does not fit into a cookie')
  const sealed = await new EncryptJWT({ text })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setSubject(username)
    .setAudience(page)
    .setExpirationTime(`${SECONDS}s`)
    .encrypt(keyOf(settings))
  return setCookie(settings, 'shown-once', sealed, SECONDS, 'Strict')
}

/**
 * The text for this user and page; undefined for a value that has expired, is for another user or another page, or was not
 * sealed by this server.
 */
export async function openShownOnce(
  settings: SealSettings,
  username: string,
  page: ShownOncePage,
  sealed: string | null,
): Promise<string | undefined> {
  if (sealed === null) return undefined
  try {
    const { payload } = await jwtDecrypt(sealed, keyOf(settings), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      subject: username,
      audience: page,
      requiredClaims: ['exp'],
    })
    return z.object({ text: z.string() }).parse(payload).text
  } catch {
    return undefined
  }
}

/** A separate key, derived from the session secret and the instance. */
function keyOf({ nextAuthSecret, instance }: SealSettings): Uint8Array {
  return createHash('sha256').update(`shown-once:${instance}:${nextAuthSecret}`).digest()
}
