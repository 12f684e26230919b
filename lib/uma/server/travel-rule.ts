import { umaFault } from '../fault'
import { decryptWith } from '../keys/ecies'
import type { UmaKey } from '../types'

const MAX_BYTES = 16 * 1024

/**
 * Decrypts travel rule information for this VASP (UMAD-05: ECIES, hex), as the payer's VASP wrote it. The caller neither stores
 * nor logs it, except in the event of its message.
 * @throws UmaFault INVALID_INPUT when it is too large, or was encrypted for another key.
 */
export function openTravelRule(key: UmaKey, hex: string): string {
  if (hex.length > 2 * MAX_BYTES || !/^(?:[0-9a-f]{2})+$/i.test(hex)) throw unreadable()
  try {
    return decryptWith(key, Buffer.from(hex, 'hex'))
  } catch {
    // The cause may quote the content.
    throw unreadable()
  }
}

function unreadable(): Error {
  return umaFault('INVALID_INPUT', 'The travel rule information is not encrypted for this VASP, or is too large.')
}
