import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decryptedText, readSuccessAction, type SuccessAction } from './success-action'

const preimage = randomBytes(32)
function aes(text: string, key = preimage): Extract<SuccessAction, { tag: 'aes' }> {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
  return { tag: 'aes', description: 'Your code', ciphertext, iv: iv.toString('base64') }
}

describe('the success action of an offer', () => {
  it.each([
    ['message', { tag: 'message', message: 'Thank you!' }],
    ['url', { tag: 'url', description: 'Your order', url: 'https://shop.example/order/1' }],
    ['aes', aes('code 1234')],
  ])('%s is read', (_, action) => {
    expect(readSuccessAction(action)).toEqual(action)
  })

  it.each([null, undefined, ''])('is absent when it is %j', (none) => {
    expect(readSuccessAction(none)).toBeNull()
  })

  it.each([{}, { tag: '' }, { tag: null, message: '', url: null }])('is absent when no member is set: %j', (none) => {
    expect(readSuccessAction(none)).toBeNull()
  })

  it('is read with another case of its tag, and without a description', () => {
    expect(readSuccessAction({ tag: 'MESSAGE', message: 'Hi' })).toEqual({ tag: 'message', message: 'Hi' })
    expect(readSuccessAction({ tag: 'url', description: null, url: 'https://x.example/' })).toMatchObject({
      description: '',
    })
  })

  it('loses characters that change the direction of its text, and keeps line breaks', () => {
    const message = 'a\u202eb\nc\u0007'
    expect(readSuccessAction({ tag: 'message', message })).toEqual({ tag: 'message', message: 'ab\nc' })
  })

  it.each([
    ['https://shop.example/\u202Egpj.exe', 'https://shop.example/%E2%80%AEgpj.exe'],
    ['HTTPS://Shop.Example/a\u200Bb?c=\u2066d', 'https://shop.example/a%E2%80%8Bb?c=%E2%81%A6d'],
    ['https://sh\u00F6p.example/x', 'https://xn--shp-tna.example/x'],
  ])('shows the address %j as a browser writes it', (url, shown) => {
    expect(readSuccessAction({ tag: 'url', description: '', url })).toEqual({ tag: 'url', description: '', url: shown })
  })

  it.each([
    ['a URL with a user name like a host', { tag: 'url', description: '', url: 'https://bank.example@shop.example/' }],
    ['a URL with a password', { tag: 'url', description: '', url: 'https://:bank.example@shop.example/' }],
    ['an unknown tag', { tag: 'nfc', message: 'x' }],
    ['no tag', { message: 'x' }],
    ['a message that is a number', { tag: 'message', message: 7 }],
    ['a message of 1,001 characters', { tag: 'message', message: 'x'.repeat(1_001) }],
    ['a URL that is none', { tag: 'url', description: '', url: 'x' }],
    ['a URL that runs code', { tag: 'url', description: '', url: 'javascript:alert(1)' }],
    ['a short IV', { ...aes('x'), iv: 'AAAA' }],
    ['no ciphertext', { ...aes('x'), ciphertext: '' }],
    ['text', 'message'],
    ['a list', []],
  ])('with %s is unsupported', (_, action) => {
    expect(readSuccessAction(action)).toBe('unsupported')
  })

  it('that is encrypted is decrypted with the preimage only', () => {
    const action = aes('code 1234 ✓')
    expect(decryptedText(action, preimage.toString('hex'))).toBe('code 1234 ✓')
    expect(
      decryptedText({ ...action, ciphertext: action.ciphertext.slice(4) }, preimage.toString('hex')),
    ).toBeUndefined()
    expect(decryptedText(action, 'ab')).toBeUndefined()
  })
})
