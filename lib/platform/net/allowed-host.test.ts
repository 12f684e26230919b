import { describe, expect, it } from 'vitest'
import { isPublicAddress, isPublicHostName } from './allowed-host'

describe('a host that another party names', () => {
  it.each(['bank.example', 'uma.bank-1.example', 'xn--bcher-kva.example', 'a.b.c.d.example'])('may be %s', (host) => {
    expect(isPublicHostName(host)).toBe(true)
  })
  it.each([
    '169.254.169.254',
    '127.1',
    '0x7f000001',
    '2130706433',
    'bank.0x7f',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '::1',
    'localhost',
    'localhost:5432',
    'bank.example:8443',
    'x.internal',
    'x.local',
    'db.localhost',
    '10.in-addr.arpa',
    '10.0.0.1',
    'intranet',
    '',
    '.',
    'bank.example.',
    'bank..example',
    '-bank.example',
    'bank_1.example',
    'BANK.example',
    'bücher.example',
    'xn--a.example',
    'evil.example/path',
    'a@evil.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])('must not be %s', (host) => {
    expect(isPublicHostName(host)).toBe(false)
  })
})

describe('the address of a host that another party names', () => {
  it.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'])('may be %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:93.184.216.34',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:0:53aa:64c::1',
    '2001:db8::1',
    'no address',
  ])('must not be %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
