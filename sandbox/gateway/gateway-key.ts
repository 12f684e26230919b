import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSecretKey } from 'nostr-tools/pure'
import type { GatewaySettings } from './settings'

/**
 * The gateway's identity on the relay: NOSTR_PRIVKEY, or else a generated key. That key is kept, because a new one would
 * end every pairing.
 */
export function gatewayKey(settings: Pick<GatewaySettings, 'NOSTR_PRIVKEY' | 'GATEWAY_DATA_DIR'>): Uint8Array {
  if (settings.NOSTR_PRIVKEY !== undefined) return fromHex(settings.NOSTR_PRIVKEY)
  const path = join(settings.GATEWAY_DATA_DIR, 'nostr.key')
  if (!existsSync(path)) {
    mkdirSync(settings.GATEWAY_DATA_DIR, { recursive: true, mode: 0o700 })
    writeFileSync(path, Buffer.from(generateSecretKey()).toString('hex'), { mode: 0o600 })
  }
  return fromHex(readFileSync(path, 'utf8').trim())
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}
