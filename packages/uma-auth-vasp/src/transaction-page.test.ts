import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dumps } from '../test/python-json'
import { fitPage, MAX_PAGE_CHARACTERS } from './transaction-page'

type Entry = Parameters<typeof fitPage>[0][number]

function entry(description: string | null, more: Partial<Entry> = {}): Entry {
  return {
    type: 'incoming',
    payment_hash: 'ab'.repeat(32),
    amount: 1_000,
    fees_paid: 0,
    invoice: `lnbcrt${'x'.repeat(300)}`,
    description,
    description_hash: null,
    preimage: 'cd'.repeat(32),
    created_at: 1_790_000_000,
    expires_at: null,
    settled_at: 1_790_000_001,
    metadata: null,
    ...more,
  }
}
const sizeOf = (page: readonly Entry[]): number => dumps({ transactions: page }).length

const TEXTS: readonly [string, string][] = [
  ['ASCII', 'Tea for two, please. '],
  ['quotes and control characters', '"\\\n\t\u0001\u007f'],
  ['CJK', '漢字仮名交じり文'],
  ['emoji', '🍵👩‍👩‍👧🇯🇵'],
]

describe('a page of transactions', () => {
  it.each(TEXTS)('holds as many entries as fit into 36,000 characters: %s', (_, text) => {
    const history = Array.from({ length: 100 }, () => entry(text.repeat(20)))
    const page = fitPage(history)
    expect(page).toEqual(history.slice(0, page.length))
    expect(sizeOf(page)).toBeLessThanOrEqual(MAX_PAGE_CHARACTERS)
    expect(sizeOf(history.slice(0, page.length + 1))).toBeGreaterThan(MAX_PAGE_CHARACTERS)
  })

  it('counts the characters that a Python gateway writes, for any entry', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.string({ maxLength: 600 }))
    const entries = fc.array(
      fc.record({
        description: fc.option(text),
        metadata: fc.option(fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 })),
      }),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(entries, (made) => {
        const history = made.map(({ description, metadata }) => entry(description, { metadata }))
        const page = fitPage(history)
        if (page.length < history.length)
          expect(sizeOf(history.slice(0, page.length + 1))).toBeGreaterThan(MAX_PAGE_CHARACTERS)
        expect(sizeOf(page)).toBeLessThanOrEqual(MAX_PAGE_CHARACTERS)
      }),
      { numRuns: 100 },
    )
  })

  it('does not change a page that fits, or an empty one', () => {
    const history = [entry('a'), entry(null)]
    expect(fitPage(history)).toEqual(history)
    expect(fitPage([])).toEqual([])
  })

  it.each(TEXTS)(
    'shortens the description of an entry that is too large by itself, between code points: %s',
    (_, text) => {
      const large = entry(text.repeat(5_000))
      const [only, ...others] = fitPage([large, entry('next')])
      expect(others).toEqual([])
      const description = only?.description ?? ''
      expect(only).toEqual({ ...large, description })
      expect(sizeOf([only as Entry])).toBeLessThanOrEqual(MAX_PAGE_CHARACTERS)
      expect(sizeOf([only as Entry])).toBeGreaterThan(MAX_PAGE_CHARACTERS - 12)
      expect(description).toMatch(/…$/u)
      expect(description).not.toMatch(/\p{Cs}/u)
      expect(large.description?.startsWith(description.slice(0, -1))).toBe(true)
    },
  )

  it('returns every entry once to a caller that adds the number received to its offset', () => {
    const history = Array.from({ length: 300 }, (_, index) =>
      entry((TEXTS[index % 4]?.[1] ?? '').repeat((index * 7) % 60), { created_at: 2_000_000_000 - index }),
    )
    const seen: Entry[] = []
    while (seen.length < history.length) seen.push(...fitPage(history.slice(seen.length, seen.length + 100)))
    expect(seen).toEqual(history)
  })
})
