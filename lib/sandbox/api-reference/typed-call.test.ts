import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { PAYING_COMMANDS } from '@/lib/connections/queries'
import { describedVasp } from '@/test/vasp/openapi'
import { endpointsOf, type EndpointReference } from './endpoints'
import { inputsOf, readCall } from './typed-call'

const endpoints = endpointsOf(ownOpenApiDocument(describedVasp(), { publicOrigin: 'https://vasp.example' }))
const endpoint = (id: string): EndpointReference => endpoints.find((each) => each.id === id) ?? expect.fail(id)
const read = (id: string, typed: Readonly<Record<string, string>>) => readCall(endpoint(id), typed)

describe('a typed call', () => {
  it('has its values in the path, the query, the headers and the body, where the endpoint takes them', () => {
    expect(
      read('lookup_user', { receiver_address: '$bob@vasp.example:3000', base_sending_currency_code: 'USD' }),
    ).toEqual({
      method: 'GET',
      url: '/receiver/lud16/%24bob%40vasp.example%3A3000?base_sending_currency_code=USD',
      headers: {},
      body: undefined,
    })
    const keysend = { 'Idempotency-Key': 'mine', amount: ' 25000 ', pubkey: '02ab', tlv_records: '[{"type":7629171}]' }
    expect(read('pay_keysend', keysend)).toEqual({
      method: 'POST',
      url: '/payments/keysend',
      headers: { 'Idempotency-Key': 'mine' },
      body: '{"amount":25000,"pubkey":"02ab","tlv_records":[{"type":7629171}]}',
    })
  })

  it('leaves out blank values, fields that the endpoint does not have, and nested fields', () => {
    expect(read('get_balance', { currency_code: '  ', Authorization: 'Bearer x' })).toEqual({
      method: 'GET',
      url: '/balance',
      headers: {},
      body: undefined,
    })
    expect(read('execute_quote', { payment_hash: 'ab', budget_currency_code: '' })).toMatchObject({ body: '{}' })
    expect(inputsOf(endpoint('pay_keysend')).map(({ name }) => name)).not.toContain('tlv_records[].type')
  })

  it('reaches no other endpoint by what is typed into the path', () => {
    expect(read('lookup_user', { receiver_address: '../../payments?x=1#y' })).toMatchObject({
      method: 'GET',
      url: '/receiver/lud16/..%2F..%2Fpayments%3Fx%3D1%23y',
    })
  })

  it.each([
    ['make_invoice', { description: 'Tea' }, { field: 'amount', code: 'missing' }],
    ['lookup_invoice', {}, { field: 'payment_hash', code: 'missing' }],
    ['make_invoice', { amount: '1.5' }, { field: 'amount', code: 'number' }],
    ['make_invoice', { amount: '1', expiry: 'soon' }, { field: 'expiry', code: 'number' }],
    ['pay_keysend', { amount: '1', pubkey: '02', tlv_records: '[' }, { field: 'tlv_records', code: 'json' }],
    [
      'pay_keysend',
      { amount: '1', pubkey: '02', 'Idempotency-Key': 'two\r\nlines' },
      { field: 'Idempotency-Key', code: 'header' },
    ],
  ] as const)('of %s with %j is a mistake in one field', (id, typed, mistake) => {
    expect(read(id, typed)).toEqual(mistake)
  })

  it('leaves the judgement of values to the API', () => {
    expect(read('make_invoice', { amount: '-1' })).toMatchObject({ body: '{"amount":-1}' })
    expect(read('get_balance', { currency_code: 'none' })).toMatchObject({ url: '/balance?currency_code=none' })
  })
})

it('each command that moves money is sent after a question', () => {
  const asks = COMMANDS.filter(({ name }) => PAYING_COMMANDS.includes(name)).map(({ name }) => name)
  expect(asks).toEqual(['pay_invoice', 'pay_keysend', 'execute_quote', 'pay_to_address'])
})
