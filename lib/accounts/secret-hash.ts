import { createHash } from 'node:crypto'

/** The stored form of a secret with 256 random bits: its SHA-256. A password needs `passwords.hash` instead. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
