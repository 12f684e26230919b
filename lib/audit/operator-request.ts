import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum difference between the caller's clock and this server's. */
const WINDOW_SECONDS = 60

/** What an operator's request is about: the command that sends it, and the last part of its address, such as `/-/audit`. */
export type Subject = 'audit' | 'payments' | 'ready' | 'users' | 'wire'

/**
 * Creates the credential of one operator's request from the instance's secret. The MAC in it also covers the subject and the
 * body.
 */
export function operatorCredential(secret: string, nowSeconds: number, body: string, about: Subject): string {
  return `Operator ${nowSeconds}.${macOf(secret, nowSeconds, body, about)}`
}

/** Whether the credential was created with the secret, for this subject and body, within a minute of now. */
export function isOperatorCredential(
  header: string | null,
  secret: string,
  nowSeconds: number,
  body: string,
  about: Subject,
): boolean {
  const match = /^Operator (\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(header ?? '')
  if (match === null) return false
  const [, at = '', mac = ''] = match
  const fresh = Math.abs(nowSeconds - Number(at)) <= WINDOW_SECONDS
  return fresh && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(secret, Number(at), body, about)))
}

function macOf(secret: string, atSeconds: number, body: string, about: Subject): string {
  return createHmac('sha256', secret).update(`${about} ${atSeconds} ${body}`).digest('base64url')
}
