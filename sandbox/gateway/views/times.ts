import { moment } from '../../shared/moments'
import type { Connection } from '../store'

export function endOf(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): string {
  if (connection.expiresAtSeconds === null) return 'Does not expire'
  return `${hasEnded(connection, nowSeconds) ? 'Expired' : 'Expires'} ${moment(connection.expiresAtSeconds)}`
}

export function hasEnded(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): boolean {
  return connection.expiresAtSeconds !== null && connection.expiresAtSeconds <= nowSeconds
}
