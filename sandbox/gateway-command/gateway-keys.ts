import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { replaceFile } from '../shared/replace-file'

/** The identity of a public gateway. A change of NOSTR_PRIVKEY ends every pairing. */
export interface GatewayKeys {
  readonly NOSTR_PRIVKEY: string
  readonly SECRET_KEY: string
}

/** Not in settings.env, because the VASP's processes receive all of its values. */
export function gatewayKeysPath(dataDir: string): string {
  return join(dataDir, 'gateway-keys.env')
}

/**
 * The keys of the public gateway in front of an instance. Generated at the first call and kept, readable by one user only.
 * @throws Error with one line that names the file when it cannot be used.
 */
export function ensureGatewayKeys(dataDir: string): GatewayKeys {
  const path = gatewayKeysPath(dataDir)
  if (!existsSync(path)) writeNew(path)
  chmodSync(path, 0o600)
  const { NOSTR_PRIVKEY = '', SECRET_KEY = '' } = parseEnv(readFileSync(path, 'utf8'))
  if (!/^[0-9a-f]{64}$/.test(NOSTR_PRIVKEY) || SECRET_KEY === '')
    throw new Error(`${path} is damaged. Restore a copy, or renew the keys with --new-keys, which ends every pairing.`)
  return { NOSTR_PRIVKEY, SECRET_KEY }
}

/** Every pairing of the gateway ends when it starts with the new keys. */
export function renewGatewayKeys(dataDir: string): GatewayKeys {
  rmSync(gatewayKeysPath(dataDir), { force: true })
  return ensureGatewayKeys(dataDir)
}

/** When two commands run at the same time, the keys of the first one are kept. */
function writeNew(path: string): void {
  const [key, secret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const own = `${path}.${process.pid}`
  replaceFile(own, `NOSTR_PRIVKEY=${key}\nSECRET_KEY=${secret}\n`)
  try {
    linkSync(own, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own)
  }
}
