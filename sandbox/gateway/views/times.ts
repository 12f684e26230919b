import type { Connection } from '../store'

export function endOf(connection: Pick<Connection, 'expiresAtSeconds'>): string {
  return connection.expiresAtSeconds === null ? 'No end' : `Ends ${moment(connection.expiresAtSeconds)}`
}

export function hasEnded(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): boolean {
  return connection.expiresAtSeconds !== null && connection.expiresAtSeconds <= nowSeconds
}

export function moment(seconds: number): string {
  return new Date(seconds * 1000).toUTCString()
}
