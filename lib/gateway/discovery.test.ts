import { describe, expect, it } from 'vitest'
import { settingNames } from './commands'
import { discoveryDocument } from './discovery'

describe('the discovery document', () => {
  it('has the eight fields of the specification and the commands, and nothing else', () => {
    const document = discoveryDocument({ vaspName: 'Northbank', gatewayRootUrl: new URL('https://gateway.example') })
    expect(document).toEqual({
      name: 'Northbank',
      uma_major_versions: [],
      authorization_endpoint: 'https://gateway.example/oauth/auth',
      token_endpoint: 'https://gateway.example/oauth/token',
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      connection_management_endpoint: 'https://gateway.example/connection/<connection_id>',
      revocation_endpoint: 'https://gateway.example/oauth/revoke',
      nwc_commands_supported: settingNames(),
    })
  })
})
