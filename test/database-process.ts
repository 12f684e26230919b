import { openDatabase } from '../lib/db/database'
import { lockFolder } from '../lib/db/lock'

// A process of its own for tests: does one thing with a database, says a line on stdout about it, and stays until it is
// killed or its stdin ends. Arguments: `lock` or `open`, then the data folder or the server's URL.
const [what = '', where = ''] = process.argv.slice(2)
process.stdin.resume().once('end', () => process.exit(0))
try {
  const isUrl = where.startsWith('postgres')
  if (what === 'lock') await lockFolder(where)
  else await openDatabase({ databaseUrl: isUrl ? where : undefined, dataDir: where, log: (message) => console.log(message) })
  console.log('open')
} catch (error) {
  console.log(`refused: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
