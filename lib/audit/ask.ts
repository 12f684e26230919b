import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the asker's clock may be from ours. */
const WINDOW_SECONDS = 60

/** Authorises one audit request of somebody who knows the instance's secret: its settings file, that is. */
export function auditCredential(secret: string, nowSeconds: number): string {
  return `Audit ${nowSeconds}.${macOf(secret, nowSeconds)}`
}

/** Whether a credential was made with the secret within the last minute. */
export function isAuditCredential(header: string | null, secret: string, nowSeconds: number): boolean {
  const match = /^Audit (\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(header ?? '')
  if (match === null) return false
  const [, at = '', mac = ''] = match
  const fresh = Math.abs(nowSeconds - Number(at)) <= WINDOW_SECONDS
  return fresh && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(secret, Number(at))))
}

function macOf(secret: string, atSeconds: number): string {
  return createHmac('sha256', secret).update(`audit ${atSeconds}`).digest('base64url')
}
