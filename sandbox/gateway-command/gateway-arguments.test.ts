import { describe, expect, it } from 'vitest'
import { readGatewayArguments } from './gateway-arguments'

describe('the arguments of the gateway command', () => {
  it('are optional, so that the config file can name the VASP', () => {
    expect(readGatewayArguments([])).toEqual({})
    expect(readGatewayArguments(['--config', 'gateway.py'])).toEqual({ config: 'gateway.py' })
  })

  it('are returned as given', () => {
    const given = ['--vasp', 'http://a', '--api=http://b', '--login', 'http://c', '--exchange', 'http://d']
    expect(readGatewayArguments([...given, '--jwt-public-key', 'key.pem'])).toEqual({
      vasp: 'http://a',
      api: 'http://b',
      login: 'http://c',
      exchange: 'http://d',
      'jwt-public-key': 'key.pem',
    })
  })

  it.each([
    [['--vaps', 'http://localhost:3000'], "Unknown option '--vaps'."],
    [['http://localhost:3000'], "Unexpected argument 'http://localhost:3000'."],
    [['--vasp'], "Option '--vasp <value>' argument missing."],
  ])('are refused with one line: %j', (args, line) => {
    expect(() => readGatewayArguments(args)).toThrow(new Error(line))
  })
})
