import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { COMMANDS, settingNames } from './commands'
import { discoveryDocument } from './discovery'
import { openApiDocument } from './openapi'
import { ROUTES } from './routes'

const settings = {
  vaspName: 'Northbank',
  publicOrigin: 'https://vasp.example',
  apiBasePath: '/umanwc/v1',
  gatewayRootUrl: new URL('https://gateway.example/nwc/'),
} as const
const document = openApiDocument(settings)

describe('the OpenAPI document', () => {
  it('passes the recommended rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'error' } })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    // A command without code has no good answer to describe; that alone is no fault.
    const withoutCode = COMMANDS.filter((command) => !command.implemented).map((command) =>
      command.path.replaceAll('/', '~1'),
    )
    const faults = problems
      .map(({ ruleId, message, location }) => ({ ruleId, message, pointer: location[0]?.pointer ?? '' }))
      .filter(
        ({ ruleId, pointer }) =>
          ruleId !== 'operation-2xx-response' || !withoutCode.some((path) => pointer.includes(`/${path}/`)),
      )
    expect(faults).toEqual([])
  })

  it('describes every command of the table, with a 501 for exactly those without code', () => {
    for (const { path, method, implemented } of COMMANDS) {
      const responses = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post']?.responses ?? {}
      expect(Object.keys(responses).includes('200'), path).toBe(implemented)
      expect(Object.keys(responses).includes('501'), path).toBe(!implemented)
      expect(Object.keys(responses)).toContain('401')
    }
  })
})

describe('what is advertised', () => {
  it('is what is implemented: a command is in the table, the routes and discovery, or in none', () => {
    const withCode = [...ROUTES].filter(([, route]) => 'run' in route).map(([name]) => name)
    expect(settingNames()).toEqual(withCode)
    expect(discoveryDocument(settings).nwc_commands_supported).toEqual(withCode)
  })

  it('points at the gateway below its own path, without doubled slashes', () => {
    expect(discoveryDocument(settings)).toMatchObject({
      authorization_endpoint: 'https://gateway.example/nwc/oauth/auth',
      connection_management_endpoint: 'https://gateway.example/nwc/connection/<connection_id>',
    })
  })
})
