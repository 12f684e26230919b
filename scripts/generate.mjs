// Generates the Prisma client when the schema changed. Plain Node.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runWork } from './progress.mjs'

const OUTPUT = 'lib/platform/db/generated'
const MARK = `${OUTPUT}/.generated-from`

const { version } = JSON.parse(readFileSync('node_modules/@prisma/client/package.json', 'utf8'))
const wanted = createHash('sha256').update(readFileSync('prisma/schema.prisma')).update(version).digest('hex')
if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== wanted) {
  if (!existsSync('node_modules/prisma')) {
    console.error('The database client is missing, and generating it needs the development packages. Run npm ci.')
    process.exit(1)
  }
  const { status, still, output } = await runWork({
    what: 'Generating the database client',
    command: process.execPath,
    args: ['node_modules/prisma/build/index.js', 'generate'],
    output: 'pipe',
    say: console.error,
    env: {
      ...process.env,
      // Prisma downloads a schema engine before any command. The generator needs none, and the path of any existing
      // program stops the download.
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  })
  if (status !== 0) {
    console.error(`Generating the database client failed${still === undefined ? '' : ` (${still})`}:\n${output}`)
    process.exit(1)
  }
  writeFileSync(MARK, wanted)
}
