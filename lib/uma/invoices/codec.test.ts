import { sign } from 'node:crypto'
import { bech32 } from '@scure/base'
import { createUmaInvoice, InvoiceSerializer, KycStatus, verifyUmaInvoiceSignature } from '@uma-sdk/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import { loadUmaKeys } from '../keys/keys'
import type { UmaKey } from '../types'
import { decodeUmaInvoice, encodeUmaInvoice, type UmaInvoice } from './codec'
import { readNumber, writeFields, writeNumber } from './tlv'

function newKey(): UmaKey {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('no keys')
  return keys.signing
}

const toBech32 = (bytes: Uint8Array): string => bech32.encode('uma', bech32.toWords(bytes), false)

const key = newKey()
const invoice: UmaInvoice = {
  receiver: '$bob@localhost:3001',
  uuid: 'b0a2f5a4-7c0e-4d5b-9a53-0c6c9d3a3a11',
  amount: 129_900n,
  currency: { code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 },
  expiresAtSeconds: 1_900_000_000,
  isSubjectToTravelRule: true,
  requiredPayerData: { compliance: true, identifier: true, name: false },
  umaVersions: ['0.3', '1.0'],
  commentLength: 150,
  sender: '$alice@localhost:3000',
  maxPayments: 3,
  kycStatus: 'VERIFIED',
  callback: 'http://localhost:3001/uma/pay/bob',
}

describe('a UMA invoice', () => {
  it('is read as it was written, with all fields and with only the mandatory ones', async () => {
    const read = decodeUmaInvoice(await encodeUmaInvoice(invoice, key))
    expect(read?.invoice).toEqual(invoice)
    expect(read?.isSignedBy(key.publicKeyHex)).toBe(true)
    expect(read?.isSignedBy(newKey().publicKeyHex)).toBe(false)
    const least = { ...invoice, sender: undefined, maxPayments: undefined, kycStatus: undefined }
    expect(decodeUmaInvoice(await encodeUmaInvoice(least, key))?.invoice).toEqual(least)
  })

  it('is read in capitals and from its link', async () => {
    const text = await encodeUmaInvoice(invoice, key)
    for (const given of [text.toUpperCase(), `uma:${text}`, `uma://${text}`, ` ${text}\n`])
      expect(decodeUmaInvoice(given)?.invoice.uuid).toBe(invoice.uuid)
  })

  it('created here is read and verified by the SDK', async () => {
    const read = InvoiceSerializer.fromBech32(await encodeUmaInvoice(invoice, key))
    expect(read).toMatchObject({
      receiverUma: invoice.receiver,
      invoiceUUID: invoice.uuid,
      amount: 129_900,
      receivingCurrency: invoice.currency,
      expiration: invoice.expiresAtSeconds,
      isSubjectToTravelRule: true,
      requiredPayerData: { identifier: { mandatory: true }, name: { mandatory: false } },
      umaVersions: '0.3,1.0',
      commentCharsAllowed: 150,
      senderUma: invoice.sender,
      maxNumPayments: 3,
      kycStatus: KycStatus.Verified,
      callback: invoice.callback,
    })
    // The SDK writes the currency's fields in insertion order, so they are inserted in the order of their numbers.
    const { code, name, symbol, decimals } = read.receivingCurrency
    const ordered = { ...read, receivingCurrency: { code, name, symbol, decimals } }
    expect(await verifyUmaInvoiceSignature(ordered, Buffer.from(key.publicKeyHex, 'hex'))).toBe(true)
  })

  it('created by the SDK is read and verified here, although its fields are in another order', async () => {
    const made = await createUmaInvoice(
      {
        receiverUma: '$bob@vasp.example',
        invoiceUUID: invoice.uuid,
        amount: 1_000,
        receivingCurrency: { name: 'US Dollar', code: 'USD', symbol: '$', decimals: 2 },
        expiration: 1_900_000_000,
        isSubjectToTravelRule: false,
        requiredPayerData: { name: { mandatory: false } },
        commentCharsAllowed: undefined,
        senderUma: undefined,
        invoiceLimit: undefined,
        kycStatus: KycStatus.Verified,
        callback: 'https://vasp.example/pay',
      },
      key.secret,
    )
    const read = decodeUmaInvoice(InvoiceSerializer.toBech32(made))
    expect(read?.invoice).toMatchObject({ receiver: '$bob@vasp.example', amount: 1_000n, currency: { code: 'USD' } })
    expect(read?.isSignedBy(key.publicKeyHex)).toBe(true)
  })

  it.each([
    [1n, 0, 0n],
    [7n, 2, 1n],
    [1_000n, 2, 150n],
    [3_225_904n, 3, 10n],
    [12_345_678n, 8, 1_000n],
    [9_007_199_254_740_991n, 2, 99n],
  ])('is read when its integers are decimal digits, as the Go SDK writes them: %s', (amount, decimals, comment) => {
    const digits = (value: bigint | number): Buffer => Buffer.from(String(value))
    const currency = writeFields([
      { tag: 0, value: Buffer.from('EUR') },
      { tag: 1, value: Buffer.from('Euro') },
      { tag: 2, value: Buffer.from('€') },
      { tag: 3, value: digits(decimals) },
    ])
    const unsigned = writeFields([
      { tag: 0, value: Buffer.from('$gus@vasp.example') },
      { tag: 1, value: Buffer.from(invoice.uuid) },
      { tag: 2, value: digits(amount) },
      { tag: 3, value: currency },
      { tag: 4, value: digits(1_900_000_000) },
      { tag: 5, value: Buffer.from([1]) },
      { tag: 7, value: Buffer.from('0.3,1.0') },
      { tag: 8, value: digits(comment) },
      { tag: 10, value: digits(12) },
      { tag: 12, value: Buffer.from('https://vasp.example/pay') },
    ])
    const signature = sign('sha256', unsigned, { key: key.keyObject, dsaEncoding: 'der' })
    const read = decodeUmaInvoice(toBech32(Buffer.concat([unsigned, writeFields([{ tag: 100, value: signature }])])))
    expect(read?.invoice).toMatchObject({
      amount,
      currency: { code: 'EUR', decimals },
      expiresAtSeconds: 1_900_000_000,
      commentLength: Number(comment),
      maxPayments: 12,
      isSubjectToTravelRule: true,
    })
    expect(read?.isSignedBy(key.publicKeyHex)).toBe(true)
  })

  it('is rejected when any letter is changed, when it is truncated, and when a field is repeated', async () => {
    const text = await encodeUmaInvoice(invoice, key)
    for (const at of [4, 40, text.length - 1]) {
      const letter = text[at] === 'q' ? 'p' : 'q'
      expect(decodeUmaInvoice(text.slice(0, at) + letter + text.slice(at + 1))).toBeUndefined()
    }
    expect(decodeUmaInvoice(text.slice(0, -1))).toBeUndefined()
    const bytes = Buffer.from(bech32.decodeToBytes(text).bytes)
    const twice = Buffer.concat([bytes, writeFields([{ tag: 2, value: Buffer.from([1]) }])])
    expect(decodeUmaInvoice(toBech32(twice))).toBeUndefined()
    const changed = Buffer.from(bytes)
    changed[changed.indexOf('bob') + 1] = 0x61
    const read = decodeUmaInvoice(toBech32(changed))
    expect(read?.invoice.receiver).toBe('$bab@localhost:3001')
    expect(read?.isSignedBy(key.publicKeyHex)).toBe(false)
  })

  it('is read without an exception, whatever is pasted', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array({ maxLength: 300 }).map((bytes) => toBech32(bytes)),
        ),
        (text) => {
          const read = decodeUmaInvoice(text)
          expect(read?.isSignedBy('04') ?? false).toBe(false)
        },
      ),
    )
  })

  it('is not created with a field that is too long for its length byte', async () => {
    await expect(encodeUmaInvoice({ ...invoice, callback: `http://x/${'y'.repeat(250)}` }, key)).rejects.toThrow(
      RangeError,
    )
  })
})

describe('a number in a UMA invoice', () => {
  it.each([
    [0n, '00'],
    [127n, '7f'],
    [128n, '0080'],
    [32_767n, '7fff'],
    [32_768n, '00008000'],
    [2_147_483_648n, '0000000080000000'],
  ])('%s is written as %s, as in the SDK', (value, hex) => {
    expect(writeNumber(value).toString('hex')).toBe(hex)
    expect(readNumber(Buffer.from(hex, 'hex'), 'binary')).toBe(value)
  })
  it.each(['', 'ff', '000001', '31303030303030303030'])('%s is not a number', (hex) => {
    expect(readNumber(Buffer.from(hex, 'hex'), 'binary')).toBeUndefined()
  })
})
