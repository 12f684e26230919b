import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSecretKey } from 'nostr-tools/pure'
import { replaceFile } from './replace-file'

/**
 * The program's identity on its relay, in `nostr.key` of its folder. The first run generates it, and later runs keep it:
 * others know the program by this key.
 * @throws Error that names the file when it contains no key.
 */
export function keptNostrKey(folder: string): Uint8Array {
  const file = join(folder, 'nostr.key')
  if (!existsSync(file)) replaceFile(file, `${Buffer.from(generateSecretKey()).toString('hex')}\n`)
  const hex = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(hex))
    throw new Error(`${file} contains no key: delete it, and the next start creates a new one.`)
  return keyOf(hex)
}

/** A secret key from its hex text. */
export function keyOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}
