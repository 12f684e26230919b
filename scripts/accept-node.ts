import { acceptOwnKey, type KeyAccepted } from '../lib/lightning/own-key'
import { instancesOn } from '../lib/platform/db/postgres'
import { withStopped, type GivenServer } from './instance'

const TEXTS: Readonly<Record<KeyAccepted, string>> = {
  accepted:
    'The books belong to this node now. Peers know the earlier payments by the earlier key: give each the new one.',
  known: 'The books belong to this node already.',
  sending:
    'Nothing was changed: payments that were sent under the earlier key have no result yet. Start a server with that key until they end, or give them up with npm run payments -- --fail.',
}

/** Gives the books of a stopped server to the node with another key. The embedded database refuses by itself while a server runs. */
export async function acceptNode(server: GivenServer, publicKeyHex: string): Promise<void> {
  const { DATABASE_URL: databaseUrl } = server.env
  const running = databaseUrl ? await instancesOn(databaseUrl) : []
  if (running.length > 0) {
    const places = running.map(({ port, host }) => `port ${port} of ${host}`).join(', ')
    console.error(`Nothing was changed: stop the instances first (${places}).`)
    process.exitCode = 1
    return
  }
  const outcome = await withStopped(server, (db) => acceptOwnKey(db, publicKeyHex))
  const isDone = outcome !== 'sending'
  ;(isDone ? console.log : console.error)(TEXTS[outcome])
  process.exitCode = isDone ? 0 : 1
}
