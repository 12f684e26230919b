import fc from 'fast-check'
import { COMMANDS, type Command } from 'uma-auth-vasp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import type { Database } from '@/lib/platform/db/database'
import type { Resolve } from '@/lib/platform/net/public-lookup'
import { ErrorReply, TokenExchangeBody } from '@/packages/uma-auth-vasp/src/schemas'
import { testPasswords } from '@/test/vasp/passwords'
import { SEED } from '../runners/chance'
import { newInvoice } from '../uma/other-vasp'
import { recomputeBooks } from '../vasp/books'
import { newNodeSecret } from '../vasp/keys'
import { invoiceOf } from '../vasp/money'
import { describedVasp, expectDocumented } from '../vasp/openapi'
import { makeTestVasp, read, type Answer, type TestVasp } from '../vasp/vasp'
import { openForInputs } from './database'
import { tryAll } from './groups'
import { ODD_BODIES, ODD_INVOICES, ODD_PATHS, ODD_TEXTS, ODD_VALUES } from './oddities'

/** The part of JSON Schema that our schemas use. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** Values that a schema alone does not produce, by field name: existing ids, valid invoices. */
type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/**
 * Values that match a schema, or almost match it: an unusual value may replace any value, a field may be missing, and unknown
 * fields may be added. Most values are valid, because an invalid field keeps the later ones from being read.
 */
function nearly(schema: Schema, known: Known, top: Schema = schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: good(schema, known, top) }, { weight: 1, arbitrary: odd })
}

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  fc.constantFrom(...ODD_TEXTS),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

function good(schema: Schema, known: Known, top: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return good(top.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}, known, top)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => good(each, known, top)))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (types.length > 1) return fc.oneof(...types.map((type) => good({ ...schema, type }, known, top)))
  switch (types[0]) {
    case 'object':
      return object(schema, known, top)
    case 'array':
      return fc.array(nearly(schema.items ?? {}, known, top), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
    case 'integer':
    case 'number':
      return numberWithin(schema)
    case 'string':
      return schema.pattern === undefined
        ? fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...ODD_TEXTS))
        : fc.stringMatching(new RegExp(schema.pattern))
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case undefined:
    default:
      return odd
  }
}

function numberWithin({ minimum = -(2 ** 53), maximum = 2 ** 53 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.bigInt({ min: BigInt(minimum), max: BigInt(maximum) }).map(Number),
    fc.integer({ min: Math.max(minimum, -1_000), max: Math.min(maximum, Math.max(minimum, 0) + 100_000) }),
    fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
  )
}

function object({ properties = {}, required = [] }: Schema, known: Known, top: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]): [string, fc.Arbitrary<unknown>] => [
    name,
    name in known
      ? fc.oneof({ weight: 6, arbitrary: known[name] ?? odd }, { weight: 1, arbitrary: odd })
      : nearly(schema, known, top),
  ])
  const extra = fc.option(fc.dictionary(fc.constantFrom(...EXTRA_FIELDS), odd, { maxKeys: 2 }), { freq: 6, nil: {} })
  return fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [...required] }), extra, fc.nat({ max: 20 }))
    .map(([record, more, forgotten]) => {
      const whole: Record<string, unknown> = { ...record, ...more }
      // Sometimes a required field is missing.
      const missing = required[forgotten]
      if (missing !== undefined && forgotten > 0) delete whole[missing]
      return whole
    })
}

/** Fields that a body must not set (mass assignment), and names with a special meaning in JavaScript. */
const EXTRA_FIELDS = ['userId', 'user_id', 'state', 'wallet_id', 'fee_msats', 'debit', 'constructor', 'length', 'then']

// Every answer to any input is one that /openapi.json describes, and never a 5xx. The test calls the handlers without a
// socket.

const RUNS_A_COMMAND = 1_500
const RUNS_OF_ODD_PATHS = 1_500
const ENDPOINTS = new Map(describedVasp().api.endpoints.map((endpoint) => [endpoint.command.name, endpoint]))

let vasp: TestVasp
let db: Database
let close = async (): Promise<void> => {}
let tokens: string[] = []
const hashes: string[] = []
const invoices: string[] = [...ODD_INVOICES]

beforeAll(async () => {
  const opened = await openForInputs()
  db = opened.db
  close = () => opened.close()
  await seedUsers(db, 'sandbox', testPasswords)
  const keys = { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() }
  // Enough connections of one user for all inputs to the token exchange.
  const env = { ...keys, MAX_ACTIVE_CONNECTIONS_PER_USER: '10000' }
  vasp = await makeTestVasp(db, env, undefined, undefined, noNames)
  await seedOpeningBalances(db, vasp.app.house)
  const everything = COMMANDS.map(({ name }) => name)
  tokens = [await vasp.connectionToken('alice', everything), await vasp.connectionToken('bob', everything)]
  for (const amount of [undefined, 1_000n, 25_000n, 1_000_000n, 10_000_000_000n]) {
    for (const [username, code] of [
      ['alice', 'USD'],
      ['bob', 'SAT'],
      ['yuki', 'JPY'],
    ] as const) {
      if (amount === 1_000n && code !== 'SAT') continue
      const made = await invoiceOf(vasp, username, code, amount)
      invoices.push(made.invoice)
      hashes.push(made.paymentHash)
    }
  }
  for (const expirySeconds of [3_600, 1])
    invoices.push(newInvoice({ amountMsats: 5_000n, createdAtSeconds: 1_700_000_000, expirySeconds }))
})
afterAll(() => close())

/** A value is chosen by its index, because the values exist only once the test has started. */
const oneOf = (list: () => readonly string[]): fc.Arbitrary<string> =>
  fc.nat({ max: 10_000 }).map((number) => list()[number % list().length] ?? '')
const damaged = fc
  .tuple(
    oneOf(() => invoices),
    fc.nat({ max: 400 }),
    fc.constantFrom('q', 'p', '1', 'Q', ' ', '\0', 'é', ''),
  )
  .map(([text, at, other]) => `${text.slice(0, at % text.length)}${other}${text.slice((at % text.length) + 1)}`)

const KNOWN: Known = {
  invoice: fc.oneof(
    { weight: 4, arbitrary: oneOf(() => invoices) },
    { weight: 2, arbitrary: damaged },
    { weight: 1, arbitrary: oneOf(() => invoices).map((text) => `lightning:${text}`) },
    { weight: 1, arbitrary: oneOf(() => invoices).map((text) => text.toUpperCase()) },
  ),
  payment_hash: oneOf(() => hashes),
  pubkey: fc.oneof(
    fc.constant('own').map(() => vasp.app.node.identity.publicKeyHex),
    fc.constant('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
    fc.stringMatching(/^0[0-4][0-9a-f]{64}$/),
  ),
  receiver_address: fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .constantFrom('$bob', '$alice', '$yuki', 'khalid', '$nobody')
        .map((name) => `${name}@${vasp.app.settings.vaspDomain}`),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('$bob@uma.example', 'bob@lnurl.example', '$bob@localhost:3001', '$bob@10.0.0.1'),
    },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) },
    { weight: 1, arbitrary: fc.emailAddress().map((address) => `$${address}`) },
  ),
  permissions: fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.constantFrom<unknown>(...COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases])),
      },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(...ODD_TEXTS, 1, null, {}) },
    ),
    { maxLength: 70 },
  ),
}

interface Input {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly who: number
  readonly key: string | undefined
}

/** Domains of other VASPs that lead nowhere: no request is sent. */
const noNames: Resolve = (_host, done) => done(new Error('no such name'), [])

let sent = 0

async function ask({ method, path, body, who, key }: Input, token = tokens[who % tokens.length]): Promise<Answer> {
  sent += 1
  const { publicOrigin, apiBasePath } = vasp.app.settings
  const request = new Request(`${publicOrigin}${apiBasePath}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token ?? ''}`,
      'Content-Type': 'application/json',
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined || method === 'GET' ? {} : { body }),
  })
  return read(await vasp.api(request))
}

function schemaOf(schema: unknown): Schema | undefined {
  if (schema === undefined) return undefined
  const { $defs = {}, ...json } = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const text = JSON.stringify(json, (_key, value: unknown) => {
    const name = (value as { $ref?: string } | null)?.$ref?.replace('#/$defs/', '')
    return name === undefined ? value : $defs[name]
  })
  return JSON.parse(text) as Schema
}

/** Query values are strings; a list stands for a repeated name. */
function queryOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ''
  const query = new URLSearchParams()
  for (const [name, each] of Object.entries(value))
    for (const text of Array.isArray(each) ? each : [each]) query.append(name, textOf(text))
  return `?${query.toString()}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

const header = fc.option(fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ019-_ ~é,')), maxLength: 220 }), {
  nil: undefined,
  freq: 2,
})

/** Inputs for one command: parameters, query and body from the schemas that parse them. */
function inputsFor(command: Command): fc.Arbitrary<Input> {
  const route = ENDPOINTS.get(command.name)
  if (route === undefined) throw new Error(`${command.name} has no endpoint`)
  const [params, query, body] = [schemaOf(route.params), schemaOf(route.query), schemaOf(route.body)]
  return fc.record({
    method: fc.constant(command.method),
    path: fc
      .tuple(
        params === undefined ? fc.constant({}) : nearly(params, KNOWN),
        query === undefined ? fc.constant('') : nearly(query, KNOWN).map(queryOf),
      )
      .map(([values, search]) => `${pathOf(command.path, values)}${search}`),
    body: body === undefined ? fc.constant(undefined) : bodyText(nearly(body, KNOWN)),
    who: fc.nat({ max: 1 }),
    key: header,
  })
}

function bodyText(body: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: body.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_BODIES) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(body, fc.nat({ max: 300 }))
        .map(([value, length]) => (JSON.stringify(value) ?? '').slice(0, length)),
    },
  )
}

/** An empty value or one with dots would change the path. */
function pathOf(template: string, values: unknown): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const given = typeof values === 'object' && values !== null ? (values as Record<string, unknown>)[name] : undefined
    const text = encodeURIComponent(wellFormed(textOf(given)))
    return text === '' || /^\.+$/.test(text) ? 'x' : text
  })
}

/** A URL cannot contain half of a surrogate pair, so it is sent as the replacement character. */
function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

function check(name: string, inputs: fc.Arbitrary<Input>, count: number, one: (input: Input) => Promise<void>): void {
  it(name, () => tryAll(inputs, count, one))
}

for (const command of COMMANDS) {
  check(`answers any input to ${command.name} as documented`, inputsFor(command), RUNS_A_COMMAND, async (input) => {
    const answer = await ask(input)
    // A created quote can be executed.
    if (command.name === 'fetch_quote' && typeof answer.body['payment_hash'] === 'string')
      hashes.push(answer.body['payment_hash'])
    // 504 means that an outgoing payment has not ended yet: no other node is paid here.
    expect(answer.status).toBeLessThan(500)
    expectDocumented(input.method === 'GET' ? 'get' : 'post', documentedPath(command, input.path), answer)
  })
}

/** The path template that the document uses. */
function documentedPath(command: Command, path: string): string {
  return command.path.includes('{') ? command.path : path
}

const exchanges: fc.Arbitrary<Input> = fc.record({
  method: fc.constant('POST'),
  path: fc.constant('/token'),
  body: bodyText(nearly(schemaOf(TokenExchangeBody) ?? {}, KNOWN)),
  who: fc.nat({ max: 1 }),
  key: fc.constant(undefined),
})
/** One sign-in creates twenty connections. These are enough for all inputs, and some inputs still get 429. */
const LOGINS = 100
const logins: string[] = []
let exchanged = 0
beforeAll(async () => {
  for (let made = 0; made < LOGINS; made++) logins.push(await vasp.loginToken('penny'))
})
check('answers any input to the token exchange as documented', exchanges, RUNS_A_COMMAND, async (input) => {
  const answer = await ask(input, logins[exchanged++ % LOGINS])
  expect(answer.status).toBeLessThan(500)
  expectDocumented('post', '/token', answer)
})

const oddPaths: fc.Arbitrary<Input> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
  path: fc.oneof(
    fc.constantFrom(...ODD_PATHS),
    fc.constantFrom(...COMMANDS.map(({ path }) => path)),
    fc.tuple(fc.constantFrom(...COMMANDS.map(({ path }) => path)), fc.webPath()).map((parts) => parts.join('')),
    fc.webPath(),
  ),
  body: fc.constant(undefined),
  who: fc.nat({ max: 1 }),
  key: fc.constant(undefined),
})
check(
  'refuses unusual paths and other methods with a documented answer',
  oddPaths,
  RUNS_OF_ODD_PATHS,
  async (input) => {
    const answer = await ask(input)
    const unbuilt = answer.status === 501
    if (!unbuilt) expect(answer.status).toBeLessThan(500)
    if (answer.status !== 200) expect(ErrorReply.safeParse(answer.body).error?.issues ?? []).toEqual([])
    if (answer.status === 405) expect(answer.headers.get('allow')).toMatch(/^(GET|POST)(, (GET|POST))*$/)
  },
)

it('has sent enough inputs, logged no failure, and left the books balanced', async () => {
  console.log(`The API: TEST_SEED=${SEED}, ${sent} inputs`)
  expect(sent).toBeGreaterThanOrEqual(COMMANDS.length * RUNS_A_COMMAND + RUNS_A_COMMAND + RUNS_OF_ODD_PATHS)
  expect(vasp.logged.filter((line) => line.includes('request failed'))).toEqual([])
  expect(await recomputeBooks(db)).toEqual([])
})
