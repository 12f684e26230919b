// Creates an embedded database in an empty folder and exits. `embedded.ts` runs it. Plain Node, because it is not part
// of the build.
import { PGlite } from '@electric-sql/pglite'

// Exits when the server that started this process has ended. The channel alone does not keep a process alive.
process.once('disconnect', () => process.exit(1))
// It ended before this line.
if (!process.connected) process.exit(1)
process.channel?.unref()

try {
  await (await PGlite.create(process.argv[2])).close()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
