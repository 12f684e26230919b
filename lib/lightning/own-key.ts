import { SettingsError } from '../platform/config'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** `sending`: payments that another key has sent have no result yet, and the payee answers for them to that key alone. */
export type KeyAccepted = 'accepted' | 'known' | 'sending'

const KEEP = statement(
  'keep_own_key',
  'insert into lightning_node.own_key (id, public_key) values (1, $1) on conflict do nothing',
)
const READ = statement<{ key: string }>(
  'read_own_key',
  'select public_key as key from lightning_node.own_key where id = 1',
)
const ACCEPT = statement<{ key: string }>(
  'accept_own_key',
  `update lightning_node.own_key set public_key = $1, since = now()
         where id = 1 and public_key <> $1
           and not exists (select from payments p where p.state = 'sending' and (exists (
                 select from lightning_node.sends s where s.send_id = p.id and s.payer <> $1 offset 0)
                 or p.node_key <> $1 and exists (select from lightning_node.lnd_sends l where l.send_id = p.id offset 0)))
         returning public_key as key`,
)

/** Each node setting, with what to do when it names another node than the books. */
const MEND = {
  LIGHTNING_NODE_KEY: { is: 'is the key of the node', mend: 'restore its key' },
  LND_URL: { is: 'leads to the node', mend: 'connect it again' },
} as const

/**
 * Stores the node's public key in books that have none.
 * @throws SettingsError when the books belong to a node with another key: other nodes know its payments by that key.
 */
export async function requireOwnKey(
  db: Database,
  publicKeyHex: string,
  setting: keyof typeof MEND = 'LIGHTNING_NODE_KEY',
): Promise<void> {
  const known = await ownKey(db, publicKeyHex)
  const { is, mend } = MEND[setting]
  if (known !== publicKeyHex)
    throw new SettingsError(
      `${setting} ${is} ${publicKeyHex}, and the books belong to the node ${known}: ${mend}, or take the new one with npm run audit -- --accept-node ${publicKeyHex}`,
    )
}

/**
 * Gives the books to the node with this public key, for an operator who has lost the earlier key. No server may run.
 * @throws Error when the database does not answer.
 */
export async function acceptOwnKey(db: Database, publicKeyHex: string): Promise<KeyAccepted> {
  if ((await ownKey(db, publicKeyHex)) === publicKeyHex) return 'known'
  const [accepted] = await db.query(ACCEPT, [publicKeyHex])
  return accepted === undefined ? 'sending' : 'accepted'
}

/** The key of the books, which is the given one when they had none. */
async function ownKey(db: Database, publicKeyHex: string): Promise<string> {
  await db.query(KEEP, [publicKeyHex])
  const [row] = await db.query(READ)
  if (row === undefined) throw new Error('the node has no key in the books')
  return row.key
}
