import { moment } from '../../moments'
import type { Connection } from '../store'

export function endOf(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): string {
  if (connection.expiresAtSeconds === null) return 'No end'
  return `${hasEnded(connection, nowSeconds) ? 'Ended' : 'Ends'} ${moment(connection.expiresAtSeconds)}`
}

export function hasEnded(connection: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): boolean {
  return connection.expiresAtSeconds !== null && connection.expiresAtSeconds <= nowSeconds
}
