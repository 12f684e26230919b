import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands'
import { matchPath } from './request'

const HASH = 'ab'.repeat(32)
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', 'BREW']

describe('matchPath', () => {
  it.each(COMMANDS)('finds $name at $method $path and under no other method', ({ name, method, path }) => {
    const filled = path.replace('{payment_hash}', HASH).replace('{receiver_address}', '$bob@vasp.example')
    expect(matchPath(method, filled)).toMatchObject({ kind: 'command', command: { name } })
    for (const other of METHODS.filter((each) => each !== method))
      expect(matchPath(other, filled)).toMatchObject({ kind: 'other-method', allow: method })
  })

  it('decodes variable segments', () => {
    expect(matchPath('GET', `/invoices/${HASH}`)).toMatchObject({ params: { payment_hash: HASH } })
    expect(matchPath('GET', '/receiver/lud16/%24bob%40vasp.example')).toMatchObject({
      params: { receiver_address: '$bob@vasp.example' },
    })
  })

  it('prefers the fixed /quote/lud16 to a quote’s hash, so that a POST there never executes a quote', () => {
    expect(matchPath('GET', '/quote/lud16')).toMatchObject({ command: { name: 'fetch_quote' } })
    expect(matchPath('POST', '/quote/lud16')).toEqual({ kind: 'other-method', allow: 'GET' })
    expect(matchPath('POST', `/quote/${HASH}`)).toMatchObject({ command: { name: 'execute_quote' } })
    expect(matchPath('GET', `/quote/${HASH}`)).toMatchObject({ kind: 'other-method', allow: 'POST' })
  })

  it('accepts only POST for the token exchange', () => {
    expect(matchPath('POST', '/token')).toEqual({ kind: 'exchange' })
    for (const method of METHODS.filter((each) => each !== 'POST'))
      expect(matchPath(method, '/token')).toEqual({ kind: 'other-method', allow: 'POST' })
  })

  it.each([
    ['a trailing slash', '/info/'],
    ['a double slash in front', '//info'],
    ['a double slash inside', '/payments//bolt11'],
    ['upper case', '/INFO'],
    ['an upper-case fixed segment', '/payments/BOLT11'],
    ['an encoded slash where a fixed one belongs', '/payments%2Fbolt11'],
    ['an encoded letter', '/%74oken'],
    ['an encoded letter in a command', '/balanc%65'],
    ['an encoded letter before a variable', `/%69nvoices/${HASH}`],
    ['an encoded letter between fixed segments', '/payments/%62olt11'],
    ['an encoded letter before an address', '/receiver/%6cud16/$bob@vasp.example'],
    ['an empty variable', '/invoices/'],
    ['one segment too many', `/invoices/${HASH}/more`],
    ['one segment too few', '/payments'],
    ['a broken escape', '/invoices/%E0%A4%A'],
    ['nothing', ''],
    ['the root', '/'],
    ['an inherited property name', '/__proto__'],
    ['dots', '/./info'],
  ])('matches no path with %s', (_why, path) => {
    for (const method of ['GET', 'POST']) expect(matchPath(method, path)).toEqual({ kind: 'unknown' })
  })

  it('keeps an encoded slash inside its segment, so that it matches no other route', () => {
    expect(matchPath('GET', '/invoices/..%2Fbalance')).toMatchObject({
      command: { name: 'lookup_invoice' },
      params: { payment_hash: '../balance' },
    })
  })

  it('never throws, for any path', () => {
    const path = fc.array(fc.oneof(fc.string(), fc.constantFrom('info', 'quote', 'lud16', '%', '..', '{x}')))
    fc.assert(
      fc.property(fc.constantFrom(...METHODS), path, (method, segments) => {
        expect(['command', 'exchange', 'other-method', 'unknown']).toContain(
          matchPath(method, `/${segments.join('/')}`).kind,
        )
      }),
    )
  })
})
