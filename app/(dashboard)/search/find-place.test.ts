import { describe, expect, it } from 'vitest'
import { LONGEST_SEARCH, readSearch } from './find-place'

const HASH = 'AB'.repeat(32)
const ID = '3F1C2A57-0d0e-4b1b-9d7e-2f4f6a1b9c10'
const INVOICE = `lnbcrt250n1p${'q'.repeat(40)}`
const UMA_INVOICE = `uma1${'q'.repeat(40)}`

describe('A searched text', () => {
  it.each([
    ['a UMA address', ' $Bob@bank.example\n', 'address', '$Bob@bank.example'],
    ['a Lightning address with a scheme', 'lightning:bob@bank.example:3001', 'address', 'bob@bank.example:3001'],
    ['an invoice', `LIGHTNING:${INVOICE}`, 'invoice', INVOICE],
    ['an invoice in two lines', `${INVOICE.slice(0, 20)}\n${INVOICE.slice(20)}`, 'invoice', INVOICE],
    ['an LNURL that is no address', `lnurl1${'q'.repeat(40)}`, 'invoice', `lnurl1${'q'.repeat(40)}`],
    ['a UMA invoice', `uma:${UMA_INVOICE}`, 'uma-invoice', UMA_INVOICE],
    ['a payment hash', HASH, 'hash', HASH.toLowerCase()],
    ['an id', ID, 'id', ID.toLowerCase()],
    ['a word', 'Rent', 'text', 'Rent'],
    ['a word that begins like an invoice', 'lnbc', 'text', 'lnbc'],
    ['two addresses', 'a@b.example c@d.example', 'text', 'a@b.example c@d.example'],
    ['a path', '//evil.example/x', 'text', '//evil.example/x'],
    ['a hash of 63 digits', HASH.slice(1), 'text', HASH.slice(1)],
    ['100 characters', 'é'.repeat(100), 'text', 'é'.repeat(100)],
    ['101 characters', 'é'.repeat(101), 'unreadable', 'é'.repeat(101)],
  ])('that is %s is read as such', (_, typed, kind, text) => {
    expect(readSearch(typed).sought).toEqual({ kind, text })
  })

  it.each([undefined, '', ' \t', '\0\0', '\ud800'])('that has nothing to look for finds nothing: %j', (typed) => {
    expect(readSearch(typed)).toEqual({ typed: '', sought: undefined })
  })

  it('loses NUL and lone surrogates, which the database refuses, and keeps every other character', () => {
    expect(readSearch('R\0ent\udc00 😀').typed).toBe('Rent 😀')
  })

  it('that is longer than the field is cut and not looked up', () => {
    const { typed, sought } = readSearch(`${'a'.repeat(LONGEST_SEARCH - 1)}😀`)
    expect(typed).toBe('a'.repeat(LONGEST_SEARCH - 1))
    expect(sought?.kind).toBe('unreadable')
  })
})
