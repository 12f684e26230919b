// The production server: one process, with the gateway API (lib/platform/http/http-server.ts) and Next for every other path.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { completeEnvironment, dataDirOf, readSettingsFile } from './lib/platform/environment.js'
import { errorText } from './lib/platform/journal.js'

process.env.NEXT_TELEMETRY_DISABLED = '1'

if (!existsSync('node_modules/next/package.json'))
  stop(
    'The packages are not installed. Run `npm run demo` for a sandbox, or `npm ci` and `npm run build` for a server.',
  )
if (!existsSync('.next/BUILD_ID')) stop('There is no build yet. Run `npm run build` first.')

// The settings of `npm run demo`. The environment overrides them.
const dataDir = dataDirOf(process.env)
const file = readSettingsFile(dataDir)
if (file === undefined && !process.env.NEXTAUTH_SECRET) {
  const given = process.env.DATA_DIR
    ? `DATA_DIR=${dataDir} `
    : process.env.VASP_NAME
      ? `VASP_NAME='${process.env.VASP_NAME}' `
      : ''
  stop(
    `There is no settings.env in ${dataDir}: run \`${given}npm run demo\` once, which creates a sandbox's settings there, or set NEXTAUTH_SECRET and the keys as docs/operate.md says.`,
  )
}
Object.assign(process.env, completeEnvironment(process.env, file ?? {}))

// instrumentation.ts builds the process inside Next and answers through lib/platform/process-singletons.ts. Next does not wait
// for it, so this does: nothing listens before database and keys are ready, and a failed start ends the process.
const holder = /** @type {Record<symbol, Map<string, unknown>>} */ (/** @type {unknown} */ (globalThis))
const store = (holder[Symbol.for('vasp.process')] ??= new Map())
/** @type {Promise<import('./lib/platform/http/http-server').HttpServer>} */
const started = new Promise((resolve, reject) => store.set('ready', { resolve, reject, step: reportStep }))
started.catch(() => {})

try {
  const { default: next } = await import('next')
  // Next listens for upgrades on the server that it is told of: this one never listens itself.
  const app = next({ dev: false, httpServer: createServer() })
  await app.prepare()
  const server = await started
  await server.listen(app.getRequestHandler())
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.shutDown())
} catch (error) {
  const expected = error instanceof Error && ['SettingsError', 'StartError'].includes(error.name)
  const text = expected ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`${errorText(text ?? '')}\n`)
  process.exit(1)
}

/**
 * For the process that started this one and waits for it: `npm run demo` says for what.
 * @param {string} step
 */
function reportStep(step) {
  // A parent that has just ended closes the channel.
  if (process.connected) process.send?.({ step }, undefined, undefined, () => {})
}

/** @param {string} reason @returns {never} */
function stop(reason) {
  process.stderr.write(`${errorText(reason)}\n`)
  process.exit(1)
}
