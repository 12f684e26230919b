import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { describedVasp } from '@/test/vasp/openapi'
import { endpointsOf, type EndpointReference } from './endpoints'

const ORIGIN = 'https://vasp.example'
const document = ownOpenApiDocument(describedVasp(), { publicOrigin: ORIGIN })
const endpoints = endpointsOf(document)
const endpoint = (id: string): EndpointReference => endpoints.find((each) => each.id === id) ?? expect.fail(id)

describe('the API reference', () => {
  it('has each command and the token exchange, with every answer of the OpenAPI document', () => {
    const commands = COMMANDS.map(({ name, method, path }) => `${name} ${method} ${path}`)
    expect(endpoints.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted()).toEqual(
      [...commands, 'exchange_token POST /token'].toSorted(),
    )
    for (const { path, method, errors, reply } of endpoints) {
      const { responses = {} } = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post'] ?? {}
      expect(['200', ...errors.map(({ status }) => status)]).toEqual(Object.keys(responses))
      expect(reply.length).toBeGreaterThan(0)
    }
  })

  it('says what each command does in the words of the OpenAPI document', () => {
    for (const { id, path, method, description } of endpoints) {
      if (id === 'exchange_token') continue
      expect(description).toMatch(/\.$/)
      expect(document.paths?.[path]?.[method === 'GET' ? 'get' : 'post']?.description).toBe(description)
    }
  })

  it('names nested fields by their path, with type, need and description', () => {
    expect(endpoint('get_info').reply).toContainEqual({
      name: 'currencies[].currency.decimals',
      place: 'body',
      type: 'integer',
      isRequired: true,
      description: 'Decimal places of the smallest unit',
    })
    expect(endpoint('pay_keysend').request).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', place: 'header', isRequired: false }),
    )
    expect(endpoint('pay_keysend').request).toContainEqual(
      expect.objectContaining({ name: 'tlv_records[].value', type: 'string', description: 'Hex' }),
    )
    expect(endpoint('make_invoice').request.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'amount: integer',
      'description: string or null',
      'description_hash: string or null',
      'expiry: integer or null',
    ])
  })

  it('has examples with the address of this server, the required fields and no token', () => {
    expect(endpoint('make_invoice').example).toEqual({
      curl: `curl -X 'POST' '${ORIGIN}/umanwc/v1/invoice' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"amount":1000}'`,
      fetch: [
        `const response = await fetch("${ORIGIN}/umanwc/v1/invoice", {`,
        "  method: 'POST',",
        "  headers: { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' },",
        '  body: JSON.stringify({',
        '    "amount": 1000',
        '  }),',
        '})',
        'console.log(response.status, await response.json())',
      ].join('\n'),
      python: [
        'import os, requests',
        '',
        'response = requests.post(',
        `  "${ORIGIN}/umanwc/v1/invoice",`,
        '  headers={"Authorization": f"Bearer {os.environ[\'TOKEN\']}"},',
        '  json={',
        '    "amount": 1000',
        '  },',
        ')',
        'print(response.status_code, response.json())',
      ].join('\n'),
    })
    expect(endpoint('lookup_invoice').example.fetch).toContain(`fetch("${ORIGIN}/umanwc/v1/invoices/PAYMENT_HASH", {`)
    expect(endpoint('fetch_quote').example.python).toContain(
      '?sending_currency_code=SAT&receiving_currency_code=EUR&locked_currency_amount=1000&locked_currency_side=sending&receiver_address=%24bob%40localhost%3A3000"',
    )
    for (const { example } of endpoints)
      expect(Object.values(example).join('\n')).not.toMatch(/\b(?:true|false|null|undefined)\b/)
  })
})
