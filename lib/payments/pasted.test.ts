import { bech32 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { isOnChainOnly, payableIn } from './pasted'

const lnurl = (url: string): string => bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(url)), false)
const INVOICE = 'lnbcrt250n1pabc'
const LOOKUP = lnurl('https://bank.example/.well-known/lnurlp/bob')

describe('pasted or scanned text', () => {
  it.each([
    ['an invoice', INVOICE, INVOICE],
    ['an invoice with lightning:', ` LIGHTNING:${INVOICE.toUpperCase()}\n`, INVOICE.toUpperCase()],
    ['an invoice with lightning://', `lightning://${INVOICE}`, INVOICE],
    ['a BIP 21 URI with an address', `bitcoin:bcrt1qabc?amount=0.0001&lightning=${INVOICE}`, INVOICE],
    [
      'a BIP 21 URI in upper case',
      `BITCOIN:BCRT1QABC?AMOUNT=0.0001&LIGHTNING=${INVOICE.toUpperCase()}`,
      INVOICE.toUpperCase(),
    ],
    ['a BIP 21 URI without an address', `bitcoin:?lightning=${INVOICE.toUpperCase()}`, INVOICE.toUpperCase()],
    ['a BIP 21 URI with an encoded value', `bitcoin:?label=a%20b&lightning=lightning%3A${INVOICE}`, INVOICE],
    ['a BIP 21 URI with an LNURL', `bitcoin:bc1q?lightning=${LOOKUP.toUpperCase()}`, 'bob@bank.example'],
    ['an address', '$bob@bank.example', '$bob@bank.example'],
    ['an address with lightning:', 'lightning:bob@bank.example', 'bob@bank.example'],
    ['an LNURL of an address', LOOKUP, 'bob@bank.example'],
    ['an LNURL of an address with lightning:', `Lightning:${LOOKUP.toUpperCase()}`, 'bob@bank.example'],
    ['an LNURL without bech32', 'lnurlp://bank.example/.well-known/lnurlp/bob', 'bob@bank.example'],
    ['a web address with an invoice (LUD-01)', `https://shop.example/pay?x=1&lightning=${INVOICE}`, INVOICE],
    [
      'a web address with an LNURL (LUD-01)',
      `HTTPS://SHOP.EXAMPLE/?LIGHTNING=${LOOKUP.toUpperCase()}`,
      'bob@bank.example',
    ],
    ['an invoice with web+lightning:', `web+lightning:${INVOICE}`, INVOICE],
    ['an LNURL with lnurl:', `lnurl:${LOOKUP}`, 'bob@bank.example'],
    ['an address with uma:', 'uma:$bob@bank.example', '$bob@bank.example'],
    ['an invoice between invisible characters', `\u200b${INVOICE}\u2060\ufeff`, INVOICE],
    ['an invoice that an e-mail has broken into lines', 'lightning:lnbcrt250n\r\n  1pabc\n', INVOICE],
    ['a UMA invoice', 'uma1abc', 'uma1abc'],
  ])('%s is read as what can be paid', (_, pasted, payable) => {
    expect(payableIn(pasted)).toBe(payable)
  })

  it.each([
    ['a URI without Lightning', 'bitcoin:bcrt1qabc?amount=1'],
    ['another LNURL', lnurl('https://bank.example/lnurl?id=1')],
    ['an LNURL with a query', lnurl('https://bank.example/.well-known/lnurlp/bob?x=1')],
    ['an LNURL with a user', lnurl('https://a:b@bank.example/.well-known/lnurlp/bob')],
    ['a damaged LNURL', `${LOOKUP.slice(0, -1)}${LOOKUP.endsWith('q') ? 'p' : 'q'}`],
    ['a scheme alone', 'lightning:'],
    ['a web address', 'https://shop.example/pay?id=1'],
    ['an address with a blank', 'bob smith@bank.example'],
    ['a word', 'hello'],
  ])('%s is unchanged, so that its reader names the problem', (_, pasted) => {
    expect(payableIn(pasted)).toBe(pasted)
  })

  it('a bitcoin: URI without an invoice is recognized', () => {
    expect(isOnChainOnly('BITCOIN:bc1q?amount=1')).toBe(true)
    expect(isOnChainOnly(`bitcoin:bc1q?lightning=${INVOICE}`)).toBe(false)
    expect(isOnChainOnly(INVOICE)).toBe(false)
  })
})
