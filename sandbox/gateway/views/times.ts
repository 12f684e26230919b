import type { Connection } from '../store'

export function endOf(connection: Pick<Connection, 'expiresAtSeconds'>): string {
  return connection.expiresAtSeconds === null ? 'No end' : `Ends ${moment(connection.expiresAtSeconds)}`
}

export function hasEnded(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): boolean {
  return connection.expiresAtSeconds !== null && connection.expiresAtSeconds <= nowSeconds
}

/** Short enough for a choice on a telephone: 22 Nov 2026, 11:51 GMT. */
export function shortMoment(seconds: number): string {
  return moment(seconds).replace(/^\w+, (.*) (\d\d:\d\d):\d\d/, '$1, $2')
}

export function moment(seconds: number): string {
  return new Date(seconds * 1000).toUTCString()
}
