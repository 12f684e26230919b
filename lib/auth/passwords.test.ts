import { describe, expect, it } from 'vitest'
import { hashPassword, isPassword } from './passwords'

// Each guess is slow by design, and slower still on a busy machine.
describe('passwords', () => {
  it('are kept as a salted hash that never holds the password and never repeats', async () => {
    const [first, second] = [await hashPassword('canary'), await hashPassword('canary')]
    expect(first).toMatch(/^scrypt\$[\w-]{22}\$[\w-]{43}$/)
    expect(first).not.toBe(second)
    expect(first).not.toContain('canary')
  })

  it('match themselves and nothing near them', async () => {
    const hash = await hashPassword('correct horse')
    expect(await isPassword('correct horse', hash)).toBe(true)
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', '\0correct horse'])
      expect(await isPassword(wrong, hash), wrong).toBe(false)
  })

  it('match however the keyboard composes their letters', async () => {
    expect(await isPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true)
  })

  it('of any length match what was set', async () => {
    const long = 'x'.repeat(300)
    expect(await isPassword(long, await hashPassword(long))).toBe(true)
  })

  it('match no hash that is missing, empty or broken, not even an empty password', async () => {
    for (const hash of [undefined, 'scrypt$$', 'scrypt$AAAA$', 'plain']) expect(await isPassword('', hash)).toBe(false)
    expect(await isPassword('plain', 'plain')).toBe(false)
  })

  it('cost the same work for a name that nobody has', async () => {
    const hash = await hashPassword('sandbox')
    // Time of the processor and not of the clock: a busy machine slows the one and not the other.
    const work = async (against: string | undefined): Promise<number> => {
      const before = process.cpuUsage()
      await isPassword('wrong', against)
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
