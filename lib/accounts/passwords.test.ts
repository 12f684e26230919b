import { describe, expect, it } from 'vitest'
import { makePasswords } from './passwords'

const passwords = makePasswords()

// Each guess is slow by design, and slower on a busy machine.
describe('passwords', () => {
  it('are stored as a salted hash that never contains the password and never repeats', async () => {
    const [first, second] = [await passwords.hash('canary'), await passwords.hash('canary')]
    expect(first).toMatch(/^scrypt\$[\w-]{22}\$[\w-]{43}$/)
    expect(first).not.toBe(second)
    expect(first).not.toContain('canary')
  })

  it('match themselves and no similar password', async () => {
    const hash = await passwords.hash('correct horse')
    expect(await passwords.matches('correct horse', hash)).toBe(true)
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', '\0correct horse'])
      expect(await passwords.matches(wrong, hash), wrong).toBe(false)
  })

  it('match in every Unicode composition of their letters', async () => {
    expect(await passwords.matches('cafe\u0301', await passwords.hash('caf\u00e9'))).toBe(true)
  })

  it('match at any length', async () => {
    const long = 'x'.repeat(300)
    expect(await passwords.matches(long, await passwords.hash(long))).toBe(true)
  })

  it('match no hash that is missing, empty or broken, not even an empty password', async () => {
    for (const hash of [undefined, 'scrypt$$', 'scrypt$AAAA$', 'plain'])
      expect(await passwords.matches('', hash)).toBe(false)
    expect(await passwords.matches('plain', 'plain')).toBe(false)
  })

  it('cost the same work for an unknown name', async () => {
    const hash = await passwords.hash('sandbox')
    // Processor time, not clock time: a busy machine changes only the latter.
    const work = async (against: string | undefined): Promise<number> => {
      const before = process.cpuUsage()
      await passwords.matches('wrong', against)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 3; round++) {
      known.push(await work(hash))
      unknown.push(await work(undefined))
    }
    // A skipped hash would be a thousand times cheaper.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2)
  })
})
