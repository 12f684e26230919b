import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { completeEnvironment, dataDirOf, readSettingsFile, settingsPath } from '../lib/platform/environment.js'
import { loadSettings, type Settings } from '../lib/platform/config'
import { newNodeSecret } from './node-secret'

export interface Instance {
  readonly name: string
  readonly port: number
  readonly gatewayRootUrl: string
}

export type SettingsFile = Readonly<Record<string, string>>
export type Environment = Readonly<Record<string, string | undefined>>

/** One instance as its processes get it. */
export interface Sandbox {
  /** Checked, with every default filled in. */
  readonly settings: Settings
  /** The environment on top of the settings file, with the values that `settings` derived. */
  readonly environment: SettingsFile
}

/** The instance that the environment names, on the default ports. */
function instanceOf(env: Environment): Instance {
  return { name: env.VASP_NAME || 'Northbank', port: 3000, gatewayRootUrl: 'http://localhost:8080' }
}

/**
 * The instance that the environment names. Its settings file is made on the first run; what the environment says wins,
 * and is not kept.
 * @throws SettingsError with one line that names the variable and the mend.
 */
export function ensureSandbox(env: Environment): Sandbox {
  const dataDir = dataDirOf(env)
  const kept = readSettingsFile(dataDir)
  const file = completed(kept) ?? newSettings(instanceOf(env), dataDir)
  const sandbox = sandboxOf(env, file)
  // Written after the check: a wrong name must not leave a folder behind.
  if (file !== kept) writeSettings(dataDir, file)
  chmodSync(settingsPath(dataDir), 0o600)
  return sandbox
}

/** The same for an instance that was started before; undefined where there is none. */
export function readSandbox(env: Environment): Sandbox | undefined {
  const file = readSettingsFile(dataDirOf(env))
  return file === undefined ? undefined : sandboxOf(env, file)
}

/**
 * The same, or one whose settings are all in the environment. Nothing is written: keys that nobody's server has would be
 * taken for those of this one.
 * @throws Error with one line that names what is missing and the mend.
 */
export function givenSandbox(env: Environment): Sandbox {
  const kept = readSandbox(env)
  if (kept !== undefined) return kept
  try {
    return sandboxOf(env, {})
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const dataDir = dataDirOf(env)
    const others = foldersBeside(dataDir)
    const known =
      others.length === 0
        ? ''
        : `
Folders with a settings.env: ${others.join(', ')}.`
    throw new Error(
      `There is no settings.env in ${dataDir}. Set DATA_DIR to the folder of the running server, or give this command the environment of the running server. For a new sandbox, npm run demo creates one.${known}\nThe environment alone is not enough: ${problem}`,
      { cause: error },
    )
  }
}

/** The folders beside this one that a server was started with. */
function foldersBeside(dataDir: string): string[] {
  const parent = dirname(dataDir)
  return existsSync(parent)
    ? readdirSync(parent)
        .map((name) => join(parent, name))
        .filter((each) => existsSync(settingsPath(each)))
    : []
}

function sandboxOf(env: Environment, file: SettingsFile): Sandbox {
  const complete = completeEnvironment(env, file)
  const settings = loadSettings(complete)
  const derived = {
    VASP_NAME: settings.vaspName,
    PORT: String(settings.port),
    VASP_DOMAIN: settings.vaspDomain,
    NEXTAUTH_URL: settings.publicOrigin,
    GATEWAY_ROOT_URL: settings.gatewayRootUrl.href.replace(/\/$/, ''),
    DATA_DIR: settings.dataDir,
  }
  return { settings, environment: { ...complete, ...derived } }
}

/**
 * The settings of a sandbox instance. Made on the first run with new keys and kept from then on, so that tokens and
 * addresses stay good between runs. Mode 600: the file holds the signing key.
 */
export function ensureSettings(instance: Instance, dataDir: string): SettingsFile {
  const kept = readSettingsFile(dataDir)
  const file = completed(kept) ?? newSettings(instance, dataDir)
  if (file !== kept) writeSettings(dataDir, file)
  chmodSync(settingsPath(dataDir), 0o600)
  return readSettingsFile(dataDir) ?? {}
}

/** A file of an earlier release, with the keys that came since. */
function completed(kept: SettingsFile | undefined): SettingsFile | undefined {
  if (kept === undefined || (kept.UMA_SIGNING_KEY !== undefined && kept.UMA_ENCRYPTION_KEY !== undefined)) return kept
  return { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret(), ...kept }
}

/** Replaces the keys and keeps the rest: every token issued before stops working. */
export function renewKeys(env: Environment): void {
  const dataDir = dataDirOf(env)
  const kept = readSettingsFile(dataDir)
  if (kept !== undefined) writeSettings(dataDir, { ...kept, ...newKeys() })
}

function newSettings(instance: Instance, dataDir: string): SettingsFile {
  return {
    VASP_NAME: instance.name,
    PORT: String(instance.port),
    VASP_DOMAIN: `localhost:${instance.port}`,
    NEXTAUTH_URL: `http://localhost:${instance.port}`,
    GATEWAY_ROOT_URL: instance.gatewayRootUrl,
    DATA_DIR: dataDir,
    ...newKeys(),
  }
}

function newKeys(): SettingsFile {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return {
    JWT_PRIVATE_KEY: oneLine(privateKey),
    JWT_PUBLIC_KEY: oneLine(publicKey),
    NEXTAUTH_SECRET: randomBytes(32).toString('base64url'),
    LIGHTNING_NODE_KEY: newNodeSecret(),
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
  }
}

/** One `NAME=value` a line, so the line ends of a PEM text are written as `\n`. */
function oneLine(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n')
}

function writeSettings(dataDir: string, settings: SettingsFile): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  writeFileSync(settingsPath(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 })
}
