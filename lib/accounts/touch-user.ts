import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { writeIfPossible } from '../platform/failures'

/** Each use restarts the lifetime that the temporary user was created with. Other users have no lifetime and are not changed. */
const TOUCH = statement(
  'touch_user',
  `update users set expires_at = now() + (expires_at - last_used_at), last_used_at = now()
         where id = $1 and made_on_demand and status <> 'closed'`,
)

/** SQL for `users u`: a use is recorded at most once a minute. */
export const TOUCH_DUE = `coalesce(u.last_used_at < now() - interval '1 minute', false)`

/** Records that a temporary user was used, which postpones its removal. */
export async function touchUser(db: Database, username: string): Promise<void> {
  await writeIfPossible(db.query(TOUCH, [username]))
}
