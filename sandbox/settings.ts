import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export interface Instance {
  readonly name: string
  readonly port: number
  readonly gatewayRootUrl: string
}

export const NORTHBANK: Instance = { name: 'Northbank', port: 3000, gatewayRootUrl: 'http://localhost:8080' }

export type SettingsFile = Readonly<Record<string, string>>

export function dataDirOf(instance: Pick<Instance, 'name'>): string {
  return join('.data', instance.name.toLowerCase().replaceAll(' ', '-'))
}

export function settingsPath(dataDir: string): string {
  return join(dataDir, 'settings.env')
}

/**
 * The settings of a sandbox instance. Made on the first run with new keys and kept from then on, so that tokens and
 * addresses stay good between runs. Mode 600: the file holds the signing key.
 */
export function ensureSettings(instance: Instance, dataDir = dataDirOf(instance)): SettingsFile {
  const path = settingsPath(dataDir)
  if (!existsSync(path)) writeSettings(path, dataDir, { ...identity(instance, dataDir), ...newKeys() })
  chmodSync(path, 0o600)
  return readSettings(path)
}

/** Replaces the keys and keeps the rest: every token issued before stops working. */
export function renewKeys(instance: Instance, dataDir = dataDirOf(instance)): void {
  writeSettings(settingsPath(dataDir), dataDir, { ...ensureSettings(instance, dataDir), ...newKeys() })
}

export function readSettings(path: string): SettingsFile {
  return Object.fromEntries(
    Object.entries(parseEnv(readFileSync(path, 'utf8'))).map(([name, value]) => [name, value ?? '']),
  )
}

function identity(instance: Instance, dataDir: string): SettingsFile {
  return {
    VASP_NAME: instance.name,
    PORT: String(instance.port),
    VASP_DOMAIN: `localhost:${instance.port}`,
    NEXTAUTH_URL: `http://localhost:${instance.port}`,
    GATEWAY_ROOT_URL: instance.gatewayRootUrl,
    DATA_DIR: dataDir,
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
    LIGHTNING_NODE_KEY: nodeSecret(),
  }
}

/** A number of the curve: 32 random bytes are one but for a chance of 2^-128. */
function nodeSecret(): string {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ format: 'jwk' })
  return Buffer.from(String(jwk.d), 'base64url').toString('hex').padStart(64, '0')
}

/** One `NAME=value` a line, so the line ends of a PEM text are written as `\n`. */
function oneLine(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n')
}

function writeSettings(path: string, dataDir: string, settings: SettingsFile): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}
