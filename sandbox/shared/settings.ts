import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadSettings, type Settings } from '../../lib/platform/config'
import { completeEnvironment, dataDirOf, readSettingsFile, settingsPath } from '../../lib/platform/environment.js'
import { newNodeSecret } from './node-secret'
import { replaceFile } from './replace-file'

export interface Instance {
  readonly name: string
  readonly port: number
  readonly gatewayRootUrl: string
}

export type SettingsFile = Readonly<Record<string, string>>
export type Environment = Readonly<Record<string, string | undefined>>

/** One instance as its processes receive it. */
export interface Sandbox {
  /** Validated, with every default filled in. */
  readonly settings: Settings
  /** The environment on top of the settings file, with the values that `settings` derived. */
  readonly environment: SettingsFile
}

/** The instance that the environment names, with the default ports. */
function instanceOf(env: Environment): Instance {
  return { name: env.VASP_NAME || 'Northbank', port: 3000, gatewayRootUrl: 'http://localhost:8080' }
}

/**
 * The instance that the environment names. The first run creates its settings file. The environment wins and is not
 * stored.
 * @throws SettingsError with one line that names the variable and the fix.
 */
export function ensureSandbox(env: Environment): Sandbox {
  const dataDir = dataDirOf(env)
  const kept = readSettingsFile(dataDir)
  const file = kept ?? newSettings(instanceOf(env), dataDir)
  const sandbox = sandboxOf(env, file)
  // Written after validation: an invalid name must not leave a folder behind.
  if (file !== kept) writeSettings(dataDir, file)
  chmodSync(settingsPath(dataDir), 0o600)
  return sandbox
}

/** An instance that was started before; undefined when there is none. Creates nothing. */
export function readSandbox(env: Environment): Sandbox | undefined {
  const file = readSettingsFile(dataDirOf(env))
  return file === undefined ? undefined : sandboxOf(env, file)
}

/**
 * An instance that was started before, or one whose settings are all in the environment. Creates nothing: newly
 * generated keys would be taken for those of the server.
 * @throws Error with one line that names the missing setting and the fix.
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

/** The folders of other instances next to this one. */
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
 * The settings of a sandbox instance. The first run creates them with new keys; later runs keep them, so that tokens
 * and addresses stay valid. Mode 600, because the file contains the signing key.
 */
export function ensureSettings(instance: Instance, dataDir: string): SettingsFile {
  if (readSettingsFile(dataDir) === undefined) writeSettings(dataDir, newSettings(instance, dataDir))
  chmodSync(settingsPath(dataDir), 0o600)
  return readSettingsFile(dataDir) ?? {}
}

/** Replaces the keys and keeps the rest: every issued token stops working. */
export function renewKeys(env: Environment): void {
  const dataDir = dataDirOf(env)
  const kept = readSettingsFile(dataDir)
  if (kept !== undefined) writeSettings(dataDir, { ...kept, ...newKeys() })
}

/** Stores settings in the instance's file, in place of those of the same names. */
export function keepSettings(dataDir: string, changed: SettingsFile): void {
  writeSettings(dataDir, { ...readSettingsFile(dataDir), ...changed })
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

/**
 * One `NAME=value` on each line; line breaks of a PEM text are written as `\
 * `.
 */
function oneLine(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n')
}

function writeSettings(dataDir: string, settings: SettingsFile): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  replaceFile(settingsPath(dataDir), `${lines.join('\n')}\n`)
}
