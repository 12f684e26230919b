import { createConfig, lintFromString } from '@redocly/openapi-core'
import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describedVasp } from '@/test/vasp/openapi'
import { ownOpenApiDocument } from './openapi'

const vasp = describedVasp({
  NEXTAUTH_URL: 'https://vasp.example',
  VASP_DOMAIN: 'vasp.example',
  GATEWAY_ROOT_URL: 'https://gateway.example/nwc/',
  SANDBOX_TOOLS: 'off',
})
const document = ownOpenApiDocument(vasp, { publicOrigin: 'https://vasp.example' })
const ENDPOINTS = new Map(vasp.api.endpoints.map((endpoint) => [endpoint.command.name, endpoint]))

const ABROAD = ['lookup_user', 'fetch_quote', 'pay_to_address']

describe('the OpenAPI document', () => {
  it('passes the linter’s recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'error' } })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it('describes every command, with a 501 for exactly those that may need another VASP', () => {
    for (const { name, path, method } of COMMANDS) {
      const responses = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post']?.responses ?? {}
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401']))
      expect(Object.keys(responses).includes('501'), path).toBe(ABROAD.includes(name))
    }
  })
})

it('names the Idempotency-Key where a payment takes one, and nowhere else', () => {
  const withKey = COMMANDS.filter(({ path, method }) =>
    JSON.stringify(document.paths?.[path]?.[method === 'GET' ? 'get' : 'post']).includes('Idempotency-Key'),
  )
  expect(withKey.map(({ name }) => name).sort()).toEqual(['pay_keysend', 'pay_to_address'])
})

/** The generator of secp256k1, as a valid public key. */
const NODE = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

/** Valid and invalid bodies of each route that reads one. */
const BODIES: [string, string, { good: object[]; bad: unknown[] }][] = [
  [
    'make_invoice',
    '/invoice',
    {
      good: [
        { amount: 1 },
        { amount: 25_000, description: 'Tea', expiry: 60 },
        { amount: 1, description: null, description_hash: null, expiry: null },
        { amount: 1, description_hash: 'aB'.repeat(32), anything: 'else' },
      ],
      bad: [
        null,
        [],
        'x',
        1,
        {},
        { amount: null },
        { amount: 0 },
        { amount: -1 },
        { amount: 1.5 },
        { amount: '1' },
        { amount: 2 ** 53 },
        { amount: 1, expiry: 0 },
        { amount: 1, expiry: 31_536_001 },
        { amount: 1, expiry: '60' },
        { amount: 1, description: 1 },
        { amount: 1, description_hash: 'ab' },
        { amount: 1, description_hash: 'g'.repeat(64) },
      ],
    },
  ],
  [
    'pay_invoice',
    '/payments/bolt11',
    {
      good: [
        { invoice: 'lnbcrt1' },
        { invoice: 'lnbcrt1', amount: null, budget_currency_code: null },
        { invoice: 'lnbcrt1', amount: 1, budget_currency_code: 'USD', anything: 'else' },
      ],
      bad: [
        null,
        [],
        'lnbcrt1',
        {},
        { invoice: null },
        { invoice: '' },
        { invoice: 1 },
        { invoice: 'x'.repeat(4_001) },
        { invoice: 'x', amount: 0 },
        { invoice: 'x', amount: '1' },
        { invoice: 'x', amount: 1.5 },
        { invoice: 'x', budget_currency_code: 'usd' },
        { invoice: 'x', budget_currency_code: 'BTC' },
      ],
    },
  ],
  [
    'pay_keysend',
    '/payments/keysend',
    {
      good: [
        { amount: 1, pubkey: NODE },
        { amount: 1, pubkey: NODE.toUpperCase(), preimage: null, tlv_records: null },
        { amount: 1, pubkey: NODE, preimage: 'aB'.repeat(32), tlv_records: [{ type: 65_536, value: '' }] },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: 696_969, value: '626F62' }], budget_currency_code: 'USD' },
      ],
      bad: [
        null,
        {},
        { amount: 1 },
        { pubkey: NODE },
        { amount: 0, pubkey: NODE },
        { amount: '1', pubkey: NODE },
        { amount: 1, pubkey: NODE.slice(2) },
        { amount: 1, pubkey: `04${NODE.slice(2)}` },
        { amount: 1, pubkey: 7 },
        { amount: 1, pubkey: NODE, preimage: 'ab' },
        { amount: 1, pubkey: NODE, preimage: 'g'.repeat(64) },
        { amount: 1, pubkey: NODE, tlv_records: {} },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: 65_535, value: '' }] },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: '696969', value: '' }] },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: 696_969, value: 'abc' }] },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: 696_969, value: 'zz' }] },
        { amount: 1, pubkey: NODE, tlv_records: [{ type: 696_969 }] },
        {
          amount: 1,
          pubkey: NODE,
          tlv_records: Array.from({ length: 65 }, (_, at) => ({ type: 65_536 + at, value: '' })),
        },
        { amount: 1, pubkey: NODE, budget_currency_code: 'XYZ' },
      ],
    },
  ],
  [
    'execute_quote',
    '/quote/{payment_hash}',
    {
      good: [{}, { budget_currency_code: null }, { budget_currency_code: 'KWD', anything: 'else' }],
      bad: [
        null,
        [],
        'x',
        1,
        { budget_currency_code: 'usd' },
        { budget_currency_code: 1 },
        { budget_currency_code: '' },
      ],
    },
  ],
  [
    'pay_to_address',
    '/payments/lud16',
    {
      good: [
        { receiver_address: '$bob@a.b', sending_currency_code: 'USD', sending_currency_amount: 1 },
        {
          receiver_address: 'bob@a.b',
          sending_currency_code: 'SAT',
          sending_currency_amount: 2 ** 53 - 1,
          receiving_currency_code: null,
          budget_currency_code: null,
        },
        {
          receiver_address: '$bob@a.b',
          sending_currency_code: 'USD',
          sending_currency_amount: 1,
          receiving_currency_code: 'ZAR',
          budget_currency_code: 'KWD',
        },
      ],
      bad: [
        null,
        [],
        {},
        { receiver_address: '$bob@a.b', sending_currency_code: 'USD' },
        { receiver_address: '', sending_currency_code: 'USD', sending_currency_amount: 1 },
        { receiver_address: 'x'.repeat(1_001), sending_currency_code: 'USD', sending_currency_amount: 1 },
        { receiver_address: '$bob@a.b', sending_currency_code: 'ZAR', sending_currency_amount: 1 },
        { receiver_address: '$bob@a.b', sending_currency_code: 'USD', sending_currency_amount: 0 },
        { receiver_address: '$bob@a.b', sending_currency_code: 'USD', sending_currency_amount: '1' },
        { receiver_address: '$bob@a.b', sending_currency_code: 'USD', sending_currency_amount: 2 ** 53 },
        {
          receiver_address: '$bob@a.b',
          sending_currency_code: 'USD',
          sending_currency_amount: 1,
          receiving_currency_code: 'usd',
        },
        {
          receiver_address: '$bob@a.b',
          sending_currency_code: 'USD',
          sending_currency_amount: 1,
          receiving_currency_code: 'USDC',
        },
      ],
    },
  ],
]

describe('the described request bodies', () => {
  it('are required, and exist for exactly the routes that read one', () => {
    for (const [name, route] of ENDPOINTS) {
      const { path = '', method } = COMMANDS.find((command) => command.name === name) ?? {}
      const { requestBody } = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post'] ?? {}
      const reads = route.body !== undefined
      expect({ name, required: (requestBody as { required?: boolean } | undefined)?.required ?? false }).toEqual({
        name,
        required: reads,
      })
    }
    expect(BODIES.map(([name]) => name)).toEqual(
      [...ENDPOINTS].filter(([, { body }]) => body !== undefined).map(([name]) => name),
    )
  })

  it.each(BODIES)('%s: the document and the route accept and refuse the same bodies', (name, path, { good, bad }) => {
    const described = schemaOf(document.paths?.[path]?.post?.requestBody)
    const endpoint = ENDPOINTS.get(name as 'make_invoice')
    const reads = (body: unknown): boolean => endpoint?.body?.safeParse(body).success === true
    for (const body of good) {
      expect({ body, takes: described.safeParse(body).success, reads: reads(body) }).toEqual({
        body,
        takes: true,
        reads: true,
      })
    }
    for (const body of bad) {
      expect({ body, takes: described.safeParse(body).success, reads: reads(body) }).toEqual({
        body,
        takes: false,
        reads: false,
      })
    }
  })
})

describe('the described responses', () => {
  it('include a 404 for each route that can answer 404, and every common status for all routes', () => {
    for (const [name, route] of ENDPOINTS) {
      const { path = '', method } = COMMANDS.find((command) => command.name === name) ?? {}
      const { responses = {}, parameters = [] } = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post'] ?? {}
      expect({ name, has: '404' in responses }).toEqual({
        name,
        has: route.params !== undefined || route.refusals['404'] !== undefined,
      })
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '429', '500', '503']))
      const inPath = parameters.filter((parameter) => 'in' in parameter && parameter.in === 'path')
      expect(inPath).toHaveLength(route.params === undefined ? 0 : 1)
    }
    expect(document.paths?.['/invoices/{payment_hash}']?.get?.parameters).toMatchObject([
      { in: 'path', name: 'payment_hash', required: true, schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' } },
    ])
  })
})

/** Validates JSON against a described body. */
function schemaOf(requestBody: unknown): z.ZodType {
  const { content } = requestBody as { content: Record<string, { schema: { $ref: string } }> }
  const schemas = document.components?.schemas ?? {}
  const text = JSON.stringify(content['application/json']?.schema, (_key, value: unknown) => {
    const name = (value as { $ref?: string } | null)?.$ref?.replace('#/components/schemas/', '')
    return name === undefined ? value : schemas[name]
  })
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
}

describe('the discovery document', () => {
  it('lists all commands, and each is implemented', () => {
    const implemented = [...ENDPOINTS.keys()]
    expect(implemented).toEqual(COMMANDS.map(({ name }) => name))
    expect(vasp.discovery().nwc_commands_supported).toEqual(implemented)
  })

  it('links to addresses below the gateway’s path, without doubled slashes', () => {
    expect(vasp.discovery()).toMatchObject({
      authorization_endpoint: 'https://gateway.example/nwc/oauth/auth',
      connection_management_endpoint: 'https://gateway.example/nwc/connection/<connection_id>',
    })
  })
})
