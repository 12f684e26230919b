import { moment } from '../../shared/moments'
import { isOver, type Connection } from '../store'

export function endOf({ expiresAtSeconds: end }: Pick<Connection, 'expiresAtSeconds'>, nowSeconds: number): string {
  return end === null ? 'Does not expire' : `${isOver(end, nowSeconds) ? 'Expired' : 'Expires'} ${moment(end)}`
}
