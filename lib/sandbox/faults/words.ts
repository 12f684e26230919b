import { STATUS_OF_CODE, isErrorCode, type Fault, type FaultKind } from './types'

const NAMES = {
  http_429: '429 with Retry-After',
  http_500: '500 without JSON',
  http_501: '501 without JSON',
  invalid_json: 'Invalid JSON with status 200',
  closed_socket: 'Connection closed without a response',
  delay: 'Delay',
} as const

/** "403 RESTRICTED", "Delay" */
export function faultName(kind: FaultKind): string {
  return isErrorCode(kind) ? `${STATUS_OF_CODE[kind]} ${kind}` : NAMES[kind]
}

/** "429 with Retry-After: 5 s" */
export function faultTitle({ kind, seconds }: Pick<Fault, 'kind' | 'seconds'>): string {
  return seconds === null ? faultName(kind) : `${faultName(kind)}: ${seconds} s`
}
