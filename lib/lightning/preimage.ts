import { createHash } from 'node:crypto'

/** The payment hash of a preimage: its SHA-256 (BOLT 11). Both are 64 hex digits. */
export function hashOfPreimage(preimageHex: string): string {
  return createHash('sha256').update(Buffer.from(preimageHex, 'hex')).digest('hex')
}

/** Whether the text is a preimage of this payment hash. */
export function provesPayment(preimageHex: string, paymentHash: string): boolean {
  return /^[0-9a-f]{64}$/.test(preimageHex) && hashOfPreimage(preimageHex) === paymentHash
}
