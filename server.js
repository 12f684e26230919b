// The production server: one process, with the gateway API in front (lib/http/front.ts) and Next behind it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import next from 'next'

process.env.NEXT_TELEMETRY_DISABLED = '1'

// What `npm run demo` wrote on its first run. The environment wins, an empty value included.
const instance = (process.env.VASP_NAME || 'Northbank').toLowerCase().replaceAll(' ', '-')
const settingsFile = join(process.env.DATA_DIR || join('.data', instance), 'settings.env')
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile)

// instrumentation.ts builds the process inside Next and answers through the store of lib/once.ts. Next does not wait
// for it, so this does: nothing listens before database and keys are ready, and a failed start ends the process.
const holder = /** @type {Record<symbol, Map<string, unknown>>} */ (/** @type {unknown} */ (globalThis))
const store = (holder[Symbol.for('vasp.process')] ??= new Map())
/** @type {Promise<import('./lib/http/front').Front>} */
const started = new Promise((resolve, reject) => store.set('ready', { resolve, reject }))
started.catch(() => {})

try {
  const app = next({ dev: false })
  await app.prepare()
  const front = await started
  await front.listen(app.getRequestHandler())
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void front.shutDown())
} catch (error) {
  const expected = error instanceof Error && ['SettingsError', 'StartError'].includes(error.name)
  const text = expected ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
