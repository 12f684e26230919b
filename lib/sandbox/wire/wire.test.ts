import { existsSync, readFileSync } from 'node:fs'
import { CHECKS, COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { liveEvent } from '@/test/vasp/live-event'
import { INVOICE_LOOKUP } from '../../events/live-event'
import { compareOrigins, curlOf, isMasked, nip47Reply, prettyJson, readFacts, shareOfTime } from './details'
import { readWireQuery, toFilter, wireAddress } from './filter'
import { notesOf, wordBeside } from './kinds'
import { CHECK_RULES, checksOf, commandOf, referenceOf, WORDS } from './reference'
import { matchesFilter, MOST_ROWS, withNewRows } from './rows'

describe('the reference of an event', () => {
  const routes = COMMANDS.map(({ method, path }) => `${method} ${path}`)

  it('names a source file that exists, for every command, the token exchange and logins', () => {
    const references = [
      ...routes.map((name) => referenceOf({ kind: 'api_call', name })),
      referenceOf({ kind: 'token_exchange', name: 'POST /token' }),
      referenceOf({ kind: 'login', name: 'login refused' }),
    ]
    for (const reference of references) {
      expect(reference).toBeDefined()
      expect(existsSync(reference?.source ?? ''), reference?.source).toBe(true)
    }
    expect(referenceOf({ kind: 'wallet', name: 'test money added' })).toBeUndefined()
  })

  it('names the same source files as the table in the README', () => {
    const readme = readFileSync('README.md', 'utf8')
    for (const name of routes) {
      const reference = referenceOf({ kind: 'api_call', name })
      const row = readme.split('\n').find((line) => line.includes(`\`${reference?.command?.name}\``)) ?? ''
      expect(row).toContain(`\`${name}\``)
      expect(row).toContain(`\`${reference?.source}\``)
    }
  })

  it('has a rule for each check', () => {
    expect(Object.keys(CHECK_RULES)).toEqual([...CHECKS])
  })
})

describe('the checks of a call', () => {
  const words = (kind: 'api_call' | 'token_exchange' | 'wallet', failed: string | null): string =>
    checksOf(kind, failed)
      .map(({ check, state }) => `${check} ${state}`)
      .join(', ')

  it('have passed before the one that failed, and were not reached after it', () => {
    expect(words('api_call', 'rate limit')).toMatch(
      /^route passed, bearer passed, rate limit failed, account not reached,/,
    )
    expect(words('api_call', null)).toMatch(/^(?:[a-z ]+ passed(?:, |$)){9}$/)
  })

  it('are fewer for the token exchange, and absent for an event that is not a call', () => {
    expect(words('token_exchange', 'input')).toMatch(/account passed, input failed, work not reached$/)
    expect(words('wallet', null)).toBe('')
  })
})

describe('the filter in the address', () => {
  it('reads a kind, a command by each of its names, and the other fields', () => {
    expect(toFilter(readWireQuery({ show: 'login', status: 'failed', text: ' evil ' }))).toEqual({
      kind: 'login',
      name: undefined,
      connectionId: undefined,
      outcome: 'failed',
      text: 'evil',
      story: undefined,
    })
    expect(toFilter(readWireQuery({ story: 'a1'.repeat(32) })).story).toBe('a1'.repeat(32))
    for (const show of ['list_transactions', 'get_transactions'])
      expect(toFilter(readWireQuery({ show })).name).toBe('GET /transactions')
  })

  it.each([
    { show: 'x' },
    { status: '500' },
    { before: '-1' },
    { before: '9'.repeat(30) },
    { text: ['a', 'b'] },
    { story: "'x'" },
    { story: 'a'.repeat(65) },
  ])('ignores unknown values: %j', (values) => {
    const query = readWireQuery(values)
    expect(Object.values(toFilter(query)).every((value) => value === undefined)).toBe(true)
    expect(query.before).toBeUndefined()
  })

  it('removes characters that the database cannot store, and cuts long text', () => {
    expect(readWireQuery({ text: 'a\0b\ud800c' }).text).toBe('abc')
    expect(readWireQuery({ text: 'x'.repeat(500) }).text).toHaveLength(100)
  })

  it('is kept by the links of the page', () => {
    expect(wireAddress({})).toBe('/developers/wire')
    expect(wireAddress({ story: 'one', before: 7n })).toBe('/developers/wire?story=one&before=7')
    expect(wireAddress({ show: 'login', text: 'a&b', connection: '', before: 7n })).toBe(
      '/developers/wire?show=login&text=a%26b&before=7',
    )
  })

  it('selects live events by the same rules as the list', () => {
    const failed = liveEvent({ status: 401, summary: 'UNAUTHORIZED: Unauthorized', requestId: 'one' })
    expect(matchesFilter(failed, {})).toBe(true)
    expect(matchesFilter(failed, { outcome: 'failed', text: 'unauthorized', connectionId: 'one' })).toBe(true)
    expect(matchesFilter(failed, { outcome: 'ok' })).toBe(false)
    expect(matchesFilter(liveEvent({ kind: 'payment', status: null }), { outcome: 'ok' })).toBe(true)
    // A call whose connection was closed without a response.
    expect(matchesFilter(liveEvent({ status: null }), { outcome: 'failed' })).toBe(true)
    expect(matchesFilter(liveEvent({ status: null, failedCheck: 'late' }), { outcome: 'failed' })).toBe(true)
    expect(matchesFilter(failed, { kind: 'login' })).toBe(false)
    expect(matchesFilter(failed, { name: 'GET /info' })).toBe(false)
    expect(matchesFilter(failed, { connectionId: 'two' })).toBe(false)
    expect(matchesFilter(failed, { story: 'one' })).toBe(true)
    expect(matchesFilter(failed, { story: 'two' })).toBe(false)
    expect(matchesFilter(liveEvent({ paymentHash: 'two' }), { story: 'two' })).toBe(true)
    expect(matchesFilter(liveEvent({ paymentHash: 'two', name: INVOICE_LOOKUP }), { story: 'two' })).toBe(false)
  })
})

describe('the rows of the page', () => {
  it('contain each event once, newest first, and number at most 1,000', () => {
    const rows = withNewRows(
      [liveEvent({ id: '2' }), liveEvent({ id: '1' })],
      ['2', '3', '4', '3'].map((id) => liveEvent({ id })),
    )
    expect(rows.map(({ id }) => id)).toEqual(['4', '3', '2', '1'])
    const many = Array.from({ length: 1_500 }, (_, index) => liveEvent({ id: String(index + 10) }))
    expect(withNewRows(rows, many)).toHaveLength(MOST_ROWS)
    expect(withNewRows(rows, many)[0]?.id).toBe('1509')
    expect(withNewRows(rows, [liveEvent({ id: '4' })])).toBe(rows)
  })
})

describe('the words of a row', () => {
  it('do not repeat the kind that the name already has', () => {
    expect(wordBeside({ kind: 'uma_message', name: 'UMA message sent' }, WORDS)).toBeUndefined()
    expect(wordBeside({ kind: 'payment', name: 'payment held' }, WORDS)).toBeUndefined()
    expect(wordBeside({ kind: 'uma_message', name: 'address lookup sent' }, WORDS)).toBe('UMA message')
    expect(wordBeside({ kind: 'api_call', name: 'GET /balance' }, WORDS)).toBe('get_balance')
  })

  it('name the reason of a message that failed, and the check that a call failed', () => {
    const message = { kind: 'lightning_message', summary: 'not paid' } as const
    expect(notesOf(liveEvent({ ...message, failedCheck: 'other' }))).toBe('not paid')
    expect(notesOf(liveEvent({ ...message, failedCheck: 'no-route' }))).toBe('not paid: no-route')
    expect(notesOf(liveEvent({ kind: 'uma_message', failedCheck: 'late', summary: 'to a.example' }))).toBe(
      'to a.example: late',
    )
    expect(notesOf(liveEvent({ failedCheck: 'input', summary: 'OTHER: no' }))).toBe('failed check: input. OTHER: no')
    expect(notesOf(liveEvent())).toBe('')
  })
})

describe('a call as curl', () => {
  const post = { method: 'POST', path: '/umanwc/v1/invoice' }

  it('shows the token as a variable, and quotes what a client sent', () => {
    expect(curlOf('http://localhost:3000', post, `{"description":"it's $(id)"}`)).toBe(
      String.raw`curl -X 'POST' 'http://localhost:3000/umanwc/v1/invoice' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"description":"it'\''s $(id)"}'`,
    )
  })

  it('has the stored parameters and leaves out the others', () => {
    const facts = { method: 'GET', path: '/b', query: { currency_code: 'USD', secret: '[not stored]' } }
    expect(curlOf('http://a', facts, undefined)).toBe(
      `curl 'http://a/b?currency_code=USD' -H "Authorization: Bearer $TOKEN"`,
    )
  })

  it('exists for HTTP calls only', () => {
    expect(curlOf('http://a', {}, undefined)).toBeUndefined()
  })
})

describe('the NIP-47 reply', () => {
  const command = commandOf('GET /balance') ?? { name: 'get_balance' as const }

  it('is a result or an error code', () => {
    expect(JSON.parse(nip47Reply(command, 200, '{"balance":5}') ?? '')).toEqual({
      result_type: 'get_balance',
      result: { balance: 5 },
    })
    expect(JSON.parse(nip47Reply(command, 403, '{"code":"RESTRICTED","message":"No."}') ?? '')).toEqual({
      result_type: 'get_balance',
      error: { code: 'RESTRICTED', message: 'No.' },
    })
  })

  it('does not exist for a truncated response', () => {
    expect(nip47Reply(command, 200, '{"transactions":[ [9000 characters in all]')).toBeUndefined()
  })
})

describe('the details of an event', () => {
  it('are read from facts of any shape', () => {
    expect(readFacts({})).toEqual({})
    expect(readFacts({ facts: { path: 5, claims: 'x', method: 'GET' } })).toMatchObject({ method: 'GET' })
  })

  it('show JSON with one field on each line, and other text unchanged', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyJson('[not JSON, 3 characters]')).toBe('[not JSON, 3 characters]')
    expect(prettyJson('{"a":[1]} [9000 characters in all]')).toBe('{\n  "a": [\n    1\n  ]\n} [9000 characters in all]')
    expect(prettyJson('{"a": [9000 characters in all]')).toBe('{"a": [9000 characters in all]')
  })

  it('show characters that nobody sees, in bodies and in what the app receives', () => {
    const body = JSON.stringify({ code: 'OTHER', message: 'a\u202Eb\u2060' })
    expect(prettyJson(body)).toContain(String.raw`"a\u202eb\u2060"`)
    expect(prettyJson('{"cut\u2067')).toBe(String.raw`{"cut\u2067`)
    const command = commandOf('GET /balance')
    if (command === undefined) throw new Error('GET /balance is no command')
    for (const status of [200, 400]) expect(nip47Reply(command, status, body)).toContain(String.raw`"a\u202eb\u2060"`)
  })

  it('distinguish masked and cut bodies from complete ones', () => {
    for (const text of ['{"preimage":"[masked]"}', '[not JSON, 3 characters]', '{"a" [9000 characters in all]'])
      expect(isMasked(text), text).toBe(true)
    expect(isMasked('{"memo":"masked"}')).toBe(false)
  })

  it.each([
    ['http://localhost:8080', 'http://localhost:8081', [':8080']],
    ['https://a.example', 'http://a.example', ['https://']],
    ['https://a.example', 'https://b.example:444', ['a.example']],
    ['none', 'https://b.example', ['none']],
    ['https://a.example', 'https://a.example', []],
  ])('mark the parts of %s that differ from %s', (origin, other, differing) => {
    const parts = compareOrigins(origin, other)
    expect(parts.map(({ text }) => text).join('')).toBe(origin)
    expect(parts.filter(({ differs }) => differs).map(({ text }) => text)).toEqual(differing)
  })

  it('place a moment within the lifetime of a token', () => {
    const at = (seconds: number): Date => new Date(seconds * 1_000)
    expect(shareOfTime(at(5), at(0), at(10))).toBe(0.5)
    expect(shareOfTime(at(50), at(0), at(10))).toBe(1)
    expect(shareOfTime(at(-5), at(0), at(10))).toBe(0)
    expect(shareOfTime(at(0), at(0), at(0))).toBe(1)
  })
})
