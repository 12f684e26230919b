import { makePasswords } from '@/lib/accounts/sign-in/passwords'

/** Hashes that cost about two milliseconds, for tests about something else. */
export const testPasswords = makePasswords({ N: 2 ** 10, r: 8, p: 1, maxmem: 64 * 1024 * 1024 })
