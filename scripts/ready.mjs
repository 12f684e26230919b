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

const OLDEST_MAJOR = 20
const OLDEST_MINOR = 19
/** The npm that installs, or the last one that did. */
const INSTALLING_NOW = join('.cache', 'installing.json')
/** npm's own default of `fetch-timeout`. */
const NPM_FETCH_TIMEOUT_MS = 300_000
/** These commands install packages themselves. Other commands never change node_modules. */
const INSTALLING = ['sandbox/demo/demo.ts', 'scripts/test.ts']
/** Operators run these next to `npm start`, where `npm ci --omit=dev` has installed the packages. */
const WITHOUT_DEV = ['scripts/audit.ts', 'scripts/gateway-config.ts', 'scripts/payments.ts', 'scripts/users.ts']

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR)) {
  console.error(`Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer is needed; this is ${process.versions.node}.`)
  process.exit(1)
}

readSettingsFile(process.env.SETTINGS_FILE)
const [script = ''] = process.argv.slice(2)
if (!isInstalled({ withDev: !WITHOUT_DEV.includes(script) })) {
  if (!INSTALLING.includes(script)) {
    console.error('Packages are missing or out of date. Run npm ci.')
    process.exit(1)
  }
  await untilEarlierInstallEnds()
  if (!isInstalled({ withDev: true })) {
    console.error('Installing packages (about a minute the first time) …')
    await install(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  }
}
await import('./generate.mjs')

if (script !== '') {
  const { compile, compiledPath } = await import('./compiled.mjs')
  compile([script])
  process.argv.splice(1, 2, resolve(script))
  await import(pathToFileURL(resolve(compiledPath(script))).href)
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
    console.error(`SETTINGS_FILE: ${path} cannot be read (${code}). Run the command as a user who may read it.`)
    process.exit(2)
  }
}

/** @param {number | undefined} pid */
function recordInstall(pid) {
  const row = pid === undefined ? undefined : processRow(pid)
  if (row === undefined) return
  mkdirSync(dirname(INSTALLING_NOW), { recursive: true })
  writeFileSync(INSTALLING_NOW, JSON.stringify({ pid: row.pid, startedAt: row.startedAt }))
}

/**
 * An npm that was told to stop removes what it has installed, also what the npm of this start would install at the same
 * time. Another start may be installing too.
 */
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

/** @param {string[]} args */
async function install(args) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let npm
  let stopped = false
  const stop = () => {
    stopped = true
    npm?.kill('SIGTERM')
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  const { status, still } = await runWork({
    what: 'Installing packages',
    command: 'npm',
    args,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    // stdout belongs to the command: other programs read the output of `npm run token`.
    output: 2,
    say: console.error,
    onStart: (child) => {
      npm = child
      recordInstall(child.pid)
    },
    // npm gives up a registry that does not answer after five minutes, and says so.
    watch: createWatch({ limitMs: 2 * NPM_FETCH_TIMEOUT_MS }),
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop)
  if (stopped) process.exit(1)
  if (still !== undefined)
    console.error(
      `\`npm ${args.join(' ')}\` stood still: ${still}. Either the registry does not answer (try \`npm ping\`) or another program suspended npm. Start again: it installs again.`,
    )
  else if (status !== 0)
    console.error(`\`npm ${args.join(' ')}\` failed; the lines above say why. Start again: it installs again.`)
  if (status !== 0) process.exit(status ?? 1)
}
