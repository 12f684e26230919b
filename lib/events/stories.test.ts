import { describe, expect, it } from 'vitest'
import { liveEvent } from '@/test/vasp/live-event'
import { lanesInWords, lanesOf } from './lanes'
import { INVOICE_LOOKUP, type LiveEvent } from './live-event'
import { storiesOf } from './stories'
import { durationInWords, lineOf, stepsOf, storyKey } from './story-line'

describe('a story', () => {
  const HASH = 'a1'.repeat(32)
  const at = (ms: number): string => new Date(Date.UTC(2026, 10, 24, 12) + ms).toISOString()
  const other = (values: Partial<LiveEvent>): LiveEvent => liveEvent({ status: null, durationMs: null, ...values })
  /** A UMA payment as its VASP records it, newest first, with another call in between. */
  const PAYMENT = [
    other({ id: '8', kind: 'uma_message', name: 'UMA callback received', paymentHash: HASH, recordedAt: at(1_200) }),
    liveEvent({
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
    liveEvent({ id: '5', requestId: 'another', recordedAt: at(500) }),
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
    liveEvent({ id: '1', name: INVOICE_LOOKUP, paymentHash: HASH, requestId: 'poll', recordedAt: at(0) }),
  ]
  const ids = (rows: readonly LiveEvent[]): string[][] => storiesOf(rows).map((story) => story.rows.map(({ id }) => id))

  it('has the events of one payment and of its requests, newest first, and lookups of an invoice stay alone', () => {
    expect(ids(PAYMENT)).toEqual([['8', '7', '6', '4', '3', '2'], ['5'], ['1']])
    expect(ids([])).toEqual([])
    expect(ids([liveEvent({ id: '2' }), liveEvent({ id: '1' })])).toEqual([['2'], ['1']])
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
    const rows = Array.from({ length: 1_000 }, (_, index) => liveEvent({ id: String(index), requestId: `r${index}` }))
    expect(storiesOf(rows)).toHaveLength(1_000)
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
      figures: '6 events · 1.2 s',
    })
    expect(lineOf(story.rows.slice(3)).title).toBe('Paying 500 SAT')
    const failed = other({ kind: 'payment', name: 'payment failed', summary: '500 SAT: no-route' })
    expect(lineOf([failed, ...story.rows.slice(3)]).title).toBe('Not paid: 500 SAT')
    const call = liveEvent({ name: 'POST /token', kind: 'token_exchange', status: 401 })
    const created = other({ kind: 'connection', name: 'connection created' })
    expect(lineOf([created, call])).toMatchObject({
      title: 'POST /token',
      isPayment: false,
      failedCount: 1,
      figures: '2 events · 1 failed · 1 ms',
    })
    const [issued, offered] = ['login token issued', 'login offered'].map((name) => liveEvent({ kind: 'login', name }))
    expect(lineOf([issued ?? created, offered ?? created]).title).toBe('login token issued')
    expect(lineOf([created, created])).toMatchObject({ title: 'connection created', call: undefined })
  })

  it('is selected by its payment hash, else by its request id', () => {
    expect(storyKey(story.rows)).toBe(HASH)
    expect(storyKey(PAYMENT.slice(-1))).toBe('poll')
    expect(storyKey([liveEvent()])).toBeUndefined()
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

  it('names the lanes of a message, and one lane for a change of state', () => {
    expect(lanesInWords({ kind: 'uma_message', name: 'address lookup sent' })).toBe('VASP → Other VASP')
    expect(lanesInWords({ kind: 'payment', name: 'payment held' })).toBe('VASP')
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
