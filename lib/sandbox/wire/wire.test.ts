import { existsSync, readFileSync } from 'node:fs'
import { CHECKS, COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { lanesOf } from '../../events/lanes'
import { INVOICE_LOOKUP, type LiveEvent } from '../../events/live-event'
import { compareOrigins, curlOf, isMasked, nip47Reply, prettyJson, readFacts, shareOfTime } from './details'
import { readWireQuery, toFilter, wireAddress } from './filter'
import { notesOf, wordBeside } from './kinds'
import { CHECK_RULES, checksOf, commandOf, referenceOf, WORDS } from './reference'
import { matchesFilter, MOST_ROWS, withNewRows } from './rows'
import { storiesOf } from './stories'
import { durationInWords, lineOf, stepsOf, storyKey } from './story-line'

function event(values: Partial<LiveEvent> = {}): LiveEvent {
  return {
    id: '1',
    recordedAt: '2026-11-24T12:00:00.000Z',
    kind: 'api_call',
    name: 'GET /balance',
    userId: 'alice',
    connectionId: 'one',
    requestId: null,
    paymentHash: null,
    status: 200,
    durationMs: 1,
    failedCheck: null,
    summary: '',
    injected: null,
    ...values,
  }
}

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
    const failed = event({ status: 401, summary: 'UNAUTHORIZED: Unauthorized', requestId: 'one' })
    expect(matchesFilter(failed, {})).toBe(true)
    expect(matchesFilter(failed, { outcome: 'failed', text: 'unauthorized', connectionId: 'one' })).toBe(true)
    expect(matchesFilter(failed, { outcome: 'ok' })).toBe(false)
    expect(matchesFilter(event({ kind: 'payment', status: null }), { outcome: 'ok' })).toBe(true)
    // A call whose connection was closed without a response.
    expect(matchesFilter(event({ status: null }), { outcome: 'failed' })).toBe(true)
    expect(matchesFilter(event({ status: null, failedCheck: 'late' }), { outcome: 'failed' })).toBe(true)
    expect(matchesFilter(failed, { kind: 'login' })).toBe(false)
    expect(matchesFilter(failed, { name: 'GET /info' })).toBe(false)
    expect(matchesFilter(failed, { connectionId: 'two' })).toBe(false)
    expect(matchesFilter(failed, { story: 'one' })).toBe(true)
    expect(matchesFilter(failed, { story: 'two' })).toBe(false)
    expect(matchesFilter(event({ paymentHash: 'two' }), { story: 'two' })).toBe(true)
    expect(matchesFilter(event({ paymentHash: 'two', name: INVOICE_LOOKUP }), { story: 'two' })).toBe(false)
  })
})

describe('the rows of the page', () => {
  it('contain each event once, newest first, and number at most 1,000', () => {
    const rows = withNewRows(
      [event({ id: '2' }), event({ id: '1' })],
      ['2', '3', '4', '3'].map((id) => event({ id })),
    )
    expect(rows.map(({ id }) => id)).toEqual(['4', '3', '2', '1'])
    const many = Array.from({ length: 1_500 }, (_, index) => event({ id: String(index + 10) }))
    expect(withNewRows(rows, many)).toHaveLength(MOST_ROWS)
    expect(withNewRows(rows, many)[0]?.id).toBe('1509')
    expect(withNewRows(rows, [event({ id: '4' })])).toBe(rows)
  })
})

describe('a story', () => {
  const HASH = 'a1'.repeat(32)
  const at = (ms: number): string => new Date(Date.UTC(2026, 10, 24, 12) + ms).toISOString()
  const other = (values: Partial<LiveEvent>): LiveEvent => event({ status: null, durationMs: null, ...values })
  /** A UMA payment as its VASP records it, newest first, with another call in between. */
  const PAYMENT = [
    other({ id: '8', kind: 'uma_message', name: 'UMA callback received', paymentHash: HASH, recordedAt: at(1_200) }),
    event({
      id: '7',
      name: 'POST /payments/lud16',
      requestId: 'paying',
      paymentHash: HASH,
      durationMs: 1_000,
      recordedAt: at(1_000),
    }),
    other({
      id: '6',
      kind: 'payment',
      name: 'payment succeeded',
      paymentHash: HASH,
      summary: '500 SAT',
      recordedAt: at(990),
    }),
    event({ id: '5', requestId: 'another', recordedAt: at(500) }),
    other({
      id: '4',
      kind: 'lightning_message',
      name: 'payment given to the node',
      paymentHash: HASH,
      durationMs: 80,
      recordedAt: at(400),
    }),
    other({
      id: '3',
      kind: 'payment',
      name: 'payment held',
      paymentHash: HASH,
      requestId: 'paying',
      summary: '500 SAT',
      recordedAt: at(300),
    }),
    other({
      id: '2',
      kind: 'uma_message',
      name: 'address lookup sent',
      requestId: 'paying',
      durationMs: 100,
      recordedAt: at(110),
    }),
    event({ id: '1', name: INVOICE_LOOKUP, paymentHash: HASH, requestId: 'poll', recordedAt: at(0) }),
  ]
  const ids = (rows: readonly LiveEvent[]): string[][] => storiesOf(rows).map((story) => story.rows.map(({ id }) => id))

  it('has the events of one payment and of its requests, newest first, and lookups of an invoice stay alone', () => {
    expect(ids(PAYMENT)).toEqual([['8', '7', '6', '4', '3', '2'], ['5'], ['1']])
    expect(ids([])).toEqual([])
    expect(ids([event({ id: '2' }), event({ id: '1' })])).toEqual([['2'], ['1']])
  })

  it('moves up with each new event, and keeps its id also when two stories turn out to be one', () => {
    for (let count = 1; count <= 7; count++) {
      const known = storiesOf(PAYMENT.slice(-count)).find(({ rows }) => rows.some(({ id }) => id === '2'))
      expect(known?.id).toBe(count === 1 ? undefined : '2')
    }
    const joined = [
      other({ id: '3', requestId: 'paying', paymentHash: HASH }),
      other({ id: '2', paymentHash: HASH }),
      other({ id: '1', requestId: 'paying' }),
    ]
    expect(ids(joined.slice(1))).toEqual([['2'], ['1']])
    expect(storiesOf(joined)).toEqual([{ id: '1', rows: joined }])
  })

  it('of requests that share nothing never join, whatever their number', () => {
    const rows = Array.from({ length: MOST_ROWS }, (_, index) => event({ id: String(index), requestId: `r${index}` }))
    expect(storiesOf(rows)).toHaveLength(MOST_ROWS)
  })

  const [story = { id: '', rows: [] }] = storiesOf(PAYMENT)

  it('lists its events in the order in which they began, with the time since the first', () => {
    expect(stepsOf(story.rows).map(({ row, afterMs }) => [row.name, afterMs])).toEqual([
      ['POST /payments/lud16', 0],
      ['address lookup sent', 10],
      ['payment held', 300],
      ['payment given to the node', 320],
      ['payment succeeded', 990],
      ['UMA callback received', 1_200],
    ])
  })

  it('is one line with what the payment came to, its call and its whole time', () => {
    expect(lineOf(story.rows, '$bob@example.com')).toMatchObject({
      title: 'Paid $bob@example.com 500 SAT',
      isPayment: true,
      call: { id: '7' },
      failedCount: 0,
      totalMs: 1_200,
    })
    expect(lineOf(story.rows.slice(3)).title).toBe('Paying 500 SAT')
    const failed = other({ kind: 'payment', name: 'payment failed', summary: '500 SAT: no-route' })
    expect(lineOf([failed, ...story.rows.slice(3)]).title).toBe('Not paid: 500 SAT')
    const call = event({ name: 'POST /token', kind: 'token_exchange', status: 401 })
    const created = other({ kind: 'connection', name: 'connection created' })
    expect(lineOf([created, call])).toMatchObject({ title: 'POST /token', isPayment: false, failedCount: 1 })
    const [issued, offered] = ['login token issued', 'login offered'].map((name) => event({ kind: 'login', name }))
    expect(lineOf([issued ?? created, offered ?? created]).title).toBe('login token issued')
    expect(lineOf([created, created])).toMatchObject({ title: 'connection created', call: undefined })
  })

  it('is selected by its payment hash, else by its request id', () => {
    expect(storyKey(story.rows)).toBe(HASH)
    expect(storyKey(PAYMENT.slice(-1))).toBe('poll')
    expect(storyKey([event()])).toBeUndefined()
  })

  it.each([
    ['api_call', 'GET /balance', 'app', 'vasp'],
    ['api_call', 'GET /budget_estimate', 'gateway', 'vasp'],
    ['token_exchange', 'POST /token', 'gateway', 'vasp'],
    ['discovery', 'UMA Auth configuration read', 'gateway', 'vasp'],
    ['login', 'login refused', 'app', 'vasp'],
    ['uma_message', 'address lookup sent', 'vasp', 'other'],
    ['uma_message', 'pay request received', 'other', 'vasp'],
    ['lightning_message', 'payment given to the node', 'vasp', 'node'],
    ['lightning_message', 'peer message received: pay', 'node', 'vasp'],
    ['payment', 'payment held', 'vasp', 'vasp'],
  ] as const)('draws %s %s from %s to %s', (kind, name, from, to) => {
    expect(lanesOf({ kind, name })).toEqual({ from, to })
  })

  it.each([
    [0.4, '0 ms'],
    [999.4, '999 ms'],
    [999.9, '1.0 s'],
    [1_234, '1.2 s'],
    [59_960, '1 min'],
    [7_190_000, '2 h'],
  ])('writes %d ms as %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words)
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
    expect(notesOf(event({ ...message, failedCheck: 'other' }))).toBe('not paid')
    expect(notesOf(event({ ...message, failedCheck: 'no-route' }))).toBe('not paid: no-route')
    expect(notesOf(event({ kind: 'uma_message', failedCheck: 'late', summary: 'to a.example' }))).toBe(
      'to a.example: late',
    )
    expect(notesOf(event({ failedCheck: 'input', summary: 'OTHER: no' }))).toBe('failed check: input. OTHER: no')
    expect(notesOf(event())).toBe('')
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
