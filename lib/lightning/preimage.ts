import { createHash } from 'node:crypto'

/** What a preimage proves the payment of: its SHA-256; both are 64 hex digits (BOLT 11). */
export function hashOfPreimage(preimageHex: string): string {
  return createHash('sha256').update(Buffer.from(preimageHex, 'hex')).digest('hex')
}

/** Whether it is a preimage at all, and of this hash. */
export function provesPayment(preimageHex: string, paymentHash: string): boolean {
  return /^[0-9a-f]{64}$/.test(preimageHex) && hashOfPreimage(preimageHex) === paymentHash
}
