import { describe, expect, it } from 'vitest'
import { discoveryDocument } from './discovery'

describe('the discovery document', () => {
  const options = {
    name: 'Northbank',
    gatewayRoot: new URL('https://gateway.example'),
    commands: ['get_info', 'get_budget'] as const,
    umaMajorVersions: [],
    umaRequestEndpoint: undefined,
  }

  it('lists no UMA version and no request endpoint without UMA keys', () => {
    const without = discoveryDocument(options)
    expect([without.uma_major_versions, 'uma_request_endpoint' in without]).toEqual([[], false])
  })

  it('has the eight fields of the specification, the commands and the request endpoint, and nothing else', () => {
    const document = discoveryDocument({
      ...options,
      umaMajorVersions: [1, 0],
      umaRequestEndpoint: 'https://north.example/uma/request',
    })
    expect(document).toEqual({
      name: 'Northbank',
      uma_major_versions: [1, 0],
      uma_request_endpoint: 'https://north.example/uma/request',
      authorization_endpoint: 'https://gateway.example/oauth/auth',
      token_endpoint: 'https://gateway.example/oauth/token',
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      connection_management_endpoint: 'https://gateway.example/connection/<connection_id>',
      revocation_endpoint: 'https://gateway.example/oauth/revoke',
      nwc_commands_supported: ['get_info', 'get_budget'],
    })
  })
})
