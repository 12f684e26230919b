import { statement } from '../platform/db/statement'
import type { Deps } from '../deps'

const READ = statement<{ cursor: string }>(
  'lightning_cursor',
  'select cursor from lightning_cursors where node_key = $1',
)
const SAVE = statement(
  'save_lightning_cursor',
  `insert into lightning_cursors (node_key, cursor) values ($1, $2)
         on conflict (node_key) do update set cursor = excluded.cursor, updated_at = now()`,
)

type Ports = Pick<Deps, 'db' | 'node'>

/** Where the node's events continue after a restart; undefined before its first event. */
export async function readCursor({ db, node }: Ports): Promise<string | undefined> {
  const [row] = await db.query(READ, [node.identity.publicKeyHex])
  return row?.cursor
}

export async function saveCursor({ db, node }: Ports, cursor: string): Promise<void> {
  await db.query(SAVE, [node.identity.publicKeyHex, cursor])
}
