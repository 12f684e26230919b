import type { Database } from '../../lib/platform/db/database'
import { lockFolder } from '../../lib/platform/db/lock'
import { openDatabase } from '../../lib/platform/db/open-database'

const INSERT = {
  name: 'insert',
  text: `insert into users (id, display_name, password_hash) values ($1, 'Test', 'none')`,
}

// A process for tests. It does one thing with a database, prints a line about it to stdout, and runs until it is killed
// or its stdin ends. Arguments: `lock`, `open` or `write`, then the data folder or the server's URL.
const [what = '', where = ''] = process.argv.slice(2)
process.stdin.resume().once('end', () => process.exit(0))
try {
  const databaseUrl = where.startsWith('postgres') ? where : undefined
  if (what === 'lock') await lockFolder(where)
  else {
    const db = await openDatabase({ databaseUrl, dataDir: where, log: () => {}, onStep: console.log })
    if (what === 'write') await writeForEver(db)
  }
  console.log('open')
} catch (error) {
  console.log(`refused: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

/** Prints each name once the database has acknowledged it. */
async function writeForEver(db: Database): Promise<void> {
  for (let count = 0; ; count++) {
    await db.query(INSERT, [`user${count}`])
    console.log(`wrote user${count}`)
  }
}
