import { scrypt } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { makePasswords } from './passwords'

vi.mock(import('node:crypto'), async (original) => {
  const real = await original()
  return { ...real, scrypt: vi.fn(real.scrypt) as unknown as typeof real.scrypt }
})

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
    vi.mocked(scrypt).mockClear()
    expect(await passwords.matches('wrong', hash)).toBe(false)
    expect(await passwords.matches('wrong', undefined)).toBe(false)
    const cost = [32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }]
    expect(vi.mocked(scrypt).mock.calls.map((args) => args.slice(2, 4))).toEqual([cost, cost])
  })
})
