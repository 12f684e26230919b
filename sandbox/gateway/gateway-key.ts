import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSecretKey } from 'nostr-tools/pure'
import { replaceFile } from '../shared/replace-file'
import type { GatewaySettings } from './settings'

/**
 * The gateway's identity on the relay: NOSTR_PRIVKEY, or else a generated key. That key is kept, because a new one would
 * end every pairing.
 */
export function gatewayKey(settings: Pick<GatewaySettings, 'NOSTR_PRIVKEY' | 'GATEWAY_DATA_DIR'>): Uint8Array {
  if (settings.NOSTR_PRIVKEY !== undefined) return fromHex(settings.NOSTR_PRIVKEY)
  const path = join(settings.GATEWAY_DATA_DIR, 'nostr.key')
  if (!existsSync(path)) replaceFile(path, Buffer.from(generateSecretKey()).toString('hex'))
  return fromHex(readFileSync(path, 'utf8').trim())
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}
