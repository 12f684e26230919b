import { describe, expect, it } from 'vitest'
import { createTestVasp } from '../test/memory-bank'
import { COMMANDS } from './commands'
import { openApiDocument, type OpenApiOptions } from './openapi'

/** As a reader gets it. */
const documentOf = (options?: OpenApiOptions): ReturnType<typeof openApiDocument> =>
  JSON.parse(JSON.stringify(openApiDocument(createTestVasp().vasp, options))) as ReturnType<typeof openApiDocument>

describe('the OpenAPI document of an adopter', () => {
  it('says nothing that belongs to the VASP of this repository', () => {
    const document = documentOf()
    expect(document.info).toEqual({
      title: 'Bank: UMA Auth gateway API',
      version: '1.0.0',
      description: 'The API that a UMA Auth gateway calls at this VASP.',
    })
    expect(JSON.stringify(document)).not.toMatch(/apache|licen[cs]e|sandbox|696969|UMA keys|northbank|test money/i)
  })

  it('names the codes of the VASP in one schema, which every field refers to', () => {
    const { components, paths } = documentOf()
    expect(components?.schemas?.CurrencyCode).toMatchObject({ type: 'string', enum: ['USD', 'SAT'] })
    const text = JSON.stringify({ ...components?.schemas, CurrencyCode: undefined, paths })
    expect(text).not.toContain('"enum":["USD"')
    const references = text.match(/"#\/components\/schemas\/CurrencyCode"/g) ?? []
    // Two of the estimate, two of a payment to an address, and one of each other command that names a code, and of Currency.
    expect(references.length).toBeGreaterThanOrEqual(10)
  })

  it('has the licence, the servers and the texts that the adopter gives', () => {
    const servers = [{ url: 'http://localhost:4000/umanwc/v1', description: 'Staging' }]
    const info = { title: 'Bank API', license: { name: 'Proprietary', url: 'https://bank.example/terms' } }
    const pay = {
      summary: 'Pay',
      description: 'Pays from the main wallet.',
      refusals: { '404': 'No such thing', '504': 'Wait' },
    }
    const document = documentOf({ servers, info, version: '7', texts: { pay_invoice: pay } })
    expect(document.info).toMatchObject({ ...info, version: '7' })
    expect(document.servers).toEqual(servers)
    expect(document.paths?.['/payments/bolt11']?.post).toMatchObject({
      operationId: 'pay_invoice',
      summary: 'Pay',
      description: 'Pays from the main wallet.',
      responses: { '404': { description: 'No such thing' }, '504': { description: 'Wait' } },
    })
    const other = document.paths?.['/payments/keysend']?.post
    expect(other).toMatchObject({ summary: COMMANDS.find(({ name }) => name === 'pay_keysend')?.summary })
  })

  it('has the public origin with the path of the API', () => {
    expect(documentOf({ publicOrigin: 'http://localhost:4000' }).servers).toEqual([
      { url: 'http://localhost:4000/umanwc/v1' },
    ])
  })
})
