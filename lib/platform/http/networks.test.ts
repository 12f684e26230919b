import { describe, expect, it } from 'vitest'
import { clientAddress, isInNetworks, networkOf, parseNetworks } from './networks'

const proxies = parseNetworks('192.168.0.0/24') ?? []

describe('parseNetworks', () => {
  it('reads addresses and ranges of both families, and rejects a list with one wrong entry', () => {
    const networks = parseNetworks('10.0.0.0/8, ::1,203.0.113.9') ?? []
    for (const inside of ['10.255.0.1', '::1', '203.0.113.9', '::ffff:10.0.0.1'])
      expect(isInNetworks(inside, networks), inside).toBe(true)
    for (const outside of ['11.0.0.1', '::2', '203.0.113.8', 'localhost', ''])
      expect(isInNetworks(outside, networks), outside).toBe(false)
    expect(parseNetworks('10.0.0.0/8, example.com')).toBeUndefined()
    expect(parseNetworks('10.0.0.0/99')).toBeUndefined()
  })
})

describe('clientAddress', () => {
  it.each([
    ['a stranger’s header', '203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['the proxy’s header', '192.168.0.7', '203.0.113.9', '203.0.113.9'],
    ['an address that a client put before the proxy’s', '192.168.0.7', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies', '192.168.0.7', '203.0.113.9, 192.168.0.8', '203.0.113.9'],
    ['an address with a port', '192.168.0.7', '203.0.113.9:5123', '203.0.113.9'],
    ['an IPv6 address in brackets', '192.168.0.7', '[2001:db8::1]', '2001:db8::1'],
    ['an IPv6 address with a port', '192.168.0.7', '[2001:db8::1]:44', '2001:db8::1'],
    ['a proxy with a port', '192.168.0.7', '203.0.113.9, 192.168.0.8:1', '203.0.113.9'],
    ['a hop that cannot be read', '192.168.0.7', 'unknown', ''],
    ['a readable hop to the left of one that cannot be read', '192.168.0.7', '192.168.0.8, _hidden', ''],
    ['a number that some parsers read as an address', '192.168.0.7', '0x0a.1', ''],
    ['an empty hop', '192.168.0.7', '203.0.113.9,', ''],
    ['an empty header', '192.168.0.7', '', ''],
    ['no header', '192.168.0.7', null, '192.168.0.7'],
  ])(
    'reads %s from the right, up to the first address that is not a configured proxy',
    (_why, socket, header, expected) => {
      expect(clientAddress(socket, header, proxies)).toBe(expected)
    },
  )

  it('puts a client without a readable address in no network, not even in 0.0.0.0/0', () => {
    const everybody = parseNetworks('0.0.0.0/0, ::/0') ?? []
    expect(isInNetworks(clientAddress('192.168.0.7', 'unknown', proxies), everybody)).toBe(false)
  })
})

describe('networkOf', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address as an IPv6 socket reports it', '::ffff:203.0.113.7', '203.0.113.7'],
    ['an IPv6 address, whose second half its owner chooses', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['nothing', '', undefined],
    ['a word', 'unknown', undefined],
  ])('returns the part of %s that a client cannot change', (_what, address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
