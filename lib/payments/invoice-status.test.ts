import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import { decodeInvoice, encodeInvoice } from '../lightning/bolt11'
import { peekPaymentHash } from './invoice-status'

const hex32 = fc.stringMatching(/^[0-9a-f]{64}$/)
const nodeSecretHex = newNodeSecret()
const invoices = fc
  .record({
    paymentHash: hex32,
    paymentSecretHex: hex32,
    amountMsats: fc.option(fc.bigInt({ min: 1n, max: 10n ** 15n }), { nil: undefined }),
    description: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
    expirySeconds: fc.integer({ min: 1, max: 31_536_000 }),
  })
  .map(({ description, ...terms }) =>
    encodeInvoice({
      ...terms,
      network: 'regtest',
      nodeSecretHex,
      createdAtSeconds: 1_700_000_000,
      description,
      descriptionHash: description === undefined ? 'ab'.repeat(32) : undefined,
    }),
  )

describe('peekPaymentHash', () => {
  it('finds the same hash as decoding, in any invoice of this VASP', () => {
    fc.assert(
      fc.property(invoices, (text) => {
        const decoding = decodeInvoice(text, 'regtest')
        expect(peekPaymentHash(text, 'lnbcrt')).toEqual({
          invoice: text,
          paymentHash: decoding.ok && decoding.invoice.paymentHash,
        })
      }),
      { numRuns: 300 },
    )
  })

  it('never finds a different hash than decoding in a damaged invoice', () => {
    const damaged = fc
      .tuple(invoices, fc.nat({ max: 500 }), fc.constantFrom(...Array.from('qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio Q')))
      .map(([text, at, letter]) => `${text.slice(0, at % text.length)}${letter}${text.slice((at % text.length) + 1)}`)
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ maxLength: 300 })), (text) => {
        const decoding = decodeInvoice(text, 'regtest')
        const named = peekPaymentHash(text, 'lnbcrt')
        if (decoding.ok && named !== undefined) expect(named.paymentHash).toBe(decoding.invoice.paymentHash)
      }),
      { numRuns: 500 },
    )
  })

  it('terminates for any text, so that no text can block the process', () => {
    // A field length whose two letters are outside the alphabet.
    expect(peekPaymentHash(`lnbcrt1${'q'.repeat(37)}bbb${'q'.repeat(150)}`, 'lnbcrt')).toBeUndefined()
    const letters = fc.stringMatching(/^[bio1qp]{120,400}$/)
    fc.assert(
      fc.property(letters, (text) => {
        peekPaymentHash(`lnbcrt1${text}`, 'lnbcrt')
      }),
      { numRuns: 500 },
    )
  })

  it('finds nothing in upper case, for another network or in a truncated text', () => {
    const [text = ''] = fc.sample(invoices, 1)
    for (const other of [text.toUpperCase(), `lightning:${text}`, ` ${text}`, text.replace('lnbcrt', 'lnbc'), ''])
      expect(peekPaymentHash(other, 'lnbcrt')).toBeUndefined()
    expect(peekPaymentHash(text.slice(0, 60), 'lnbcrt')).toBeUndefined()
    expect(peekPaymentHash(`lnbcrt1${'p'.repeat(3_000)}`, 'lnbcrt')).toBeUndefined()
  })
})
