import { createHash } from 'node:crypto'

/** SHA-256 of a secret of 256 random bits, as it is stored. A password needs `passwords.hash` instead. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
