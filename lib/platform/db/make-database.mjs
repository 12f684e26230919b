// Makes an embedded database in an empty folder and ends; `embedded.ts` starts it. Plain Node, beside the build.
import { PGlite } from '@electric-sql/pglite'

// Nobody waits any more when the server that started this has ended. The channel alone keeps no process alive.
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

try {
  await (await PGlite.create(process.argv[2])).close()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
