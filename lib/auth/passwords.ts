import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** scrypt, RFC 7914: N = 2^15, r = 8, p = 1, about 32 MB and 80 ms a guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 32
const LONGEST_PASSWORD = 200

/** `scrypt$<salt>$<key>`, both base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt)
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** Compares in constant time. A missing hash costs the same work, so that unknown names answer no faster. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, salt, key] = (hash ?? 'scrypt$$').split('$')
  const expected = Buffer.from(key ?? '', 'base64url')
  const actual = await derive(password, Buffer.from(salt ?? '', 'base64url'))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.slice(0, LONGEST_PASSWORD).normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
