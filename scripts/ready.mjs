// Prepares a command to start, on a fresh clone too: installs the packages and generates the database client. Plain
// Node without packages. `ready.mjs FILE.ts …` then compiles that file and runs it in this process, so that signals
// reach the command.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { isInstalled } from './installed.mjs'
import { processRow } from './process-table.mjs'
import { createWatch, runWork, untilEnded } from './progress.mjs'

/** The npm that installs, or the last one that did. */
const INSTALLING_NOW = join('.cache', 'installing.json')
/** npm's own default of `fetch-timeout`. */
const NPM_FETCH_TIMEOUT_MS = 300_000
/** These commands install packages themselves. Other commands never change node_modules. */
const INSTALLING = ['sandbox/demo/demo.ts', 'scripts/test.ts']
/** Operators run these next to `npm start`, where `npm ci --omit=dev` has installed the packages. */
const WITHOUT_DEV = [
  'scripts/audit.ts',
  'scripts/gateway-config.ts',
  'scripts/payments.ts',
  'scripts/users.ts',
  'scripts/wire.ts',
]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node 20.19 or newer is needed, and Node 24 is recommended; this is ${process.versions.node}.`)

readSettingsFile(process.env.SETTINGS_FILE)
const [script = ''] = process.argv.slice(2)
if (!isInstalled({ withDev: !WITHOUT_DEV.includes(script) })) {
  if (!INSTALLING.includes(script)) fail('Packages are missing or out of date. Run npm ci.')
  await install()
}
await import('./generate.mjs')

if (script !== '') {
  const { compile, compiledPath } = await import('./compiled.mjs')
  compile([script])
  process.argv.splice(1, 2, resolve(script))
  await import(pathToFileURL(resolve(compiledPath(script))).href)
}

/** @param {string} message @param {number} [code] @returns {never} */
function fail(message, code = 1) {
  console.error(message)
  process.exit(code)
}

/**
 * Adds the settings of a server to the environment, which wins. Read here and not by a shell, for which a value with a
 * blank or a `$` is not one value.
 * @param {string | undefined} path
 */
function readSettingsFile(path) {
  if (!path) return
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync(path, 'utf8')))) process.env[name] ??= value
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    fail(`SETTINGS_FILE: ${path} cannot be read (${code}). Run the command as a user who may read it.`, 2)
  }
}

/** Its npm ends when this process does, however that ends; it then removes what it has installed, and the next start waits. */
async function install() {
  await untilEarlierInstallEnds()
  if (isInstalled({ withDev: true })) return
  console.error('Installing packages (about a minute the first time) …')
  const { status, still } = await runWork({
    what: 'Installing packages',
    command: 'npm',
    args: ['ci', '--loglevel=error'],
    env: process.env,
    // stdout belongs to the command: other programs read the output of `npm run token`.
    output: 2,
    say: console.error,
    onStart: ({ pid }) => recordInstall(pid),
    // npm gives up a registry that does not answer after five minutes, and says so.
    watch: createWatch({ limitMs: 2 * NPM_FETCH_TIMEOUT_MS }),
  })
  if (status === 0) return
  const why =
    still === undefined
      ? 'failed; the lines above say why.'
      : `stood still: ${still}. Either the registry does not answer (try \`npm ping\`) or another program suspended npm.`
  fail(`\`npm ci\` ${why} Start again: it installs again.`, status ?? 1)
}

/** @param {number | undefined} pid */
function recordInstall(pid) {
  const row = pid === undefined ? undefined : processRow(pid)
  if (row === undefined) return
  mkdirSync(dirname(INSTALLING_NOW), { recursive: true })
  writeFileSync(INSTALLING_NOW, JSON.stringify({ pid: row.pid, startedAt: row.startedAt }))
}

/** An npm that is still removing its installation would remove that of this start too; another start may be installing. */
async function untilEarlierInstallEnds() {
  /** @type {import('./process-table.mjs').ProcessIdentity} */
  let earlier
  try {
    earlier = JSON.parse(readFileSync(INSTALLING_NOW, 'utf8'))
  } catch {
    return
  }
  const what = `Waiting for the installation of process ${earlier.pid} to end (\`kill -9 ${earlier.pid}\` ends it at once)`
  await untilEnded([earlier], { what, say: console.error })
}
