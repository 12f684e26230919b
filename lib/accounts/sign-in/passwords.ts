import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { makeConcurrencyLimiter } from '../../platform/concurrency/concurrency-limiter'
import { singleton } from '../../platform/process-singletons'

export interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
  readonly maxmem: number
}

/** Hashes and checks passwords. All hashes of one database have the same cost. */
export interface Passwords {
  /** Returns `scrypt$<salt>$<key>`, both base64url. */
  hash(password: string): Promise<string>
  /**
   * Compares in constant time. A missing hash costs the same work, so that an unknown name is not answered faster.
   * @throws Error for which `isBusy` returns true, when too many guesses are queued.
   */
  matches(password: string, hash: string | undefined): Promise<boolean>
}

/** scrypt (RFC 7914): about 32 MB and 80 ms per guess. */
const COST: ScryptCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 32
const MAX_PASSWORD_LENGTH = 200
/**
 * Half the threads of Node's pool, which also reads files and signs data. A flood of guesses must leave the other half free.
 */
const MAX_CONCURRENT_GUESSES = 2
/** A few seconds of work on a slow machine. Further sign-ins are refused with a request to try again later. */
const MAX_QUEUED_GUESSES = 30

/** Normalizes a password, because keyboards encode the same letter in different compositions and widths. */
export function normalPassword(typed: string): string {
  return typed.slice(0, MAX_PASSWORD_LENGTH).normalize('NFKC')
}

/** `cost` is a parameter for tests that sign in often. No setting lowers it. */
export function makePasswords(cost = COST): Passwords {
  return {
    async hash(password) {
      const salt = randomBytes(16)
      const key = await derive(password, salt, cost)
      return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`
    },
    async matches(password, hash) {
      const [, salt, key] = (hash ?? 'scrypt$$').split('$')
      const expected = Buffer.from(key ?? '', 'base64url')
      const actual = await derive(password, Buffer.from(salt ?? '', 'base64url'), cost)
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  }
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const queue = singleton('password work', () =>
    makeConcurrencyLimiter({ maxConcurrent: MAX_CONCURRENT_GUESSES, maxQueued: MAX_QUEUED_GUESSES }),
  )
  return queue.run(
    () =>
      new Promise((resolve, reject) => {
        scrypt(normalPassword(password), salt, KEY_BYTES, cost, (error, key) =>
          error === null ? resolve(key) : reject(error),
        )
      }),
  )
}

/** The stored form of a secret with 256 random bits: its SHA-256. A password needs `passwords.hash` instead. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
