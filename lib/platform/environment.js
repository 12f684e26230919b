// The environment of an instance, on top of the settings file that `npm run demo` wrote. Plain JavaScript, because
// server.js reads it before anything is compiled.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

const SANDBOX_DOMAIN = /^localhost(:\d+)?$/
const SANDBOX_ORIGIN = /^http:\/\/localhost(:\d+)?\/?$/

/**
 * The data folder of the instance that the environment names.
 * @param {Environment} env
 */
export function dataDirOf(env) {
  return env.DATA_DIR || join('.data', (env.VASP_NAME || 'Northbank').toLowerCase().replaceAll(' ', '-'))
}

/** @param {string} dataDir */
export function settingsPath(dataDir) {
  return join(dataDir, 'settings.env')
}

/**
 * The variables of an instance's settings file; undefined when there is none.
 * @param {string} dataDir
 * @returns {Record<string, string> | undefined}
 */
export function readSettingsFile(dataDir) {
  const path = settingsPath(dataDir)
  return existsSync(path)
    ? Object.fromEntries(
        Object.entries(parseEnv(readFileSync(path, 'utf8'))).map(([name, value]) => [name, value ?? '']),
      )
    : undefined
}

/**
 * Merges the environment over the settings file. An empty value in the environment wins too. Values that the file
 * derived from a port follow that port: with a domain of the old port, every page would answer 421.
 * @param {Environment} env
 * @param {Readonly<Record<string, string>>} file
 * @returns {Record<string, string>}
 */
export function completeEnvironment(env, file) {
  /** @type {Record<string, string>} */
  const complete = { ...file }
  if (SANDBOX_DOMAIN.test(file.VASP_DOMAIN ?? '')) delete complete.VASP_DOMAIN
  if (SANDBOX_ORIGIN.test(file.NEXTAUTH_URL ?? '')) delete complete.NEXTAUTH_URL
  const gatewayPort = env.GATEWAY_PORT ?? file.GATEWAY_PORT
  if (gatewayPort && SANDBOX_ORIGIN.test(file.GATEWAY_ROOT_URL ?? 'http://localhost'))
    complete.GATEWAY_ROOT_URL = `http://localhost:${gatewayPort}`
  complete.DATA_DIR ??= dataDirOf(env)
  for (const [name, value] of Object.entries(env)) if (value !== undefined) complete[name] = value
  return complete
}
