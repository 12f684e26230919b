// Generates the Prisma client when the schema changed. Plain Node.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const OUTPUT = 'lib/platform/db/generated'
const MARK = `${OUTPUT}/.generated-from`

const { version } = JSON.parse(readFileSync('node_modules/@prisma/client/package.json', 'utf8'))
const wanted = createHash('sha256').update(readFileSync('prisma/schema.prisma')).update(version).digest('hex')
if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== wanted) {
  if (!existsSync('node_modules/prisma')) {
    console.error('The database client is missing, and generating it needs the development packages. Run npm ci.')
    process.exit(1)
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
    encoding: 'utf8',
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
    console.error(`Generating the database client failed:\n${stdout}\n${stderr}`)
    process.exit(1)
  }
  writeFileSync(MARK, wanted)
}
