import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum difference between the caller's clock and this server's. */
const WINDOW_SECONDS = 60

/** The path of the audit, and its parameter for acknowledged losses: payment ids separated by commas. */
export const AUDIT_PATH = '/-/audit'
export const ACKNOWLEDGE = 'acknowledge'

/**
 * Creates the credential of one audit request from the instance's secret. The MAC in it also covers the losses that the request
 * acknowledges.
 */
export function auditCredential(secret: string, nowSeconds: number, acknowledged = ''): string {
  return `Audit ${nowSeconds}.${macOf(secret, nowSeconds, acknowledged)}`
}

/** Whether the credential was created with the secret, for these losses, within a minute of now. */
export function isAuditCredential(
  header: string | null,
  secret: string,
  nowSeconds: number,
  acknowledged = '',
): boolean {
  return isMade('Audit', header, nowSeconds, (atSeconds) => macOf(secret, atSeconds, acknowledged))
}

/** The paths of the operator's requests: about payments and about users. */
export const OPERATOR_PATH = '/-/payments'
export const USERS_PATH = '/-/users'

/** The subject of an operator's request. The MAC in the credential covers it too. */
type Subject = 'payments' | 'users'

/** Creates the credential of one operator request from the instance's secret. The MAC in it also covers the body. */
export function operatorCredential(
  secret: string,
  nowSeconds: number,
  body: string,
  about: Subject = 'payments',
): string {
  return `Operator ${nowSeconds}.${operatorMac(secret, nowSeconds, body, about)}`
}

/** Whether the credential was created with the secret, for this body, within a minute of now. */
export function isOperatorCredential(
  header: string | null,
  secret: string,
  nowSeconds: number,
  body: string,
  about: Subject = 'payments',
): boolean {
  return isMade('Operator', header, nowSeconds, (atSeconds) => operatorMac(secret, atSeconds, body, about))
}

function isMade(
  scheme: 'Audit' | 'Operator',
  header: string | null,
  nowSeconds: number,
  macAt: (atSeconds: number) => string,
): boolean {
  const match = /^(\w+) (\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(header ?? '')
  if (match === null) return false
  const [, given = '', at = '', mac = ''] = match
  const fresh = Math.abs(nowSeconds - Number(at)) <= WINDOW_SECONDS
  return given === scheme && fresh && timingSafeEqual(Buffer.from(mac), Buffer.from(macAt(Number(at))))
}

/** Reads up to 100 payment ids separated by commas; undefined for any other text. */
export function readPaymentIds(text: string): bigint[] | undefined {
  return /^[1-9]\d{0,17}(,[1-9]\d{0,17}){0,99}$/.test(text) ? text.split(',').map(BigInt) : undefined
}

function macOf(secret: string, atSeconds: number, acknowledged: string): string {
  const what = acknowledged === '' ? `audit ${atSeconds}` : `acknowledge ${atSeconds} ${acknowledged}`
  return createHmac('sha256', secret).update(what).digest('base64url')
}

function operatorMac(secret: string, atSeconds: number, body: string, about: Subject): string {
  return createHmac('sha256', secret).update(`${about} ${atSeconds} ${body}`).digest('base64url')
}
