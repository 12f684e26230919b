import { describe, expect, it } from 'vitest'
import { textStream } from '../platform/http/text-stream'
import type { Movement } from './activity'
import { csvCell, exportParts } from './activity-export'
import { isIndexed, paramsOf, readActivityQuery } from './activity-filter'

/** Days of UTC. */
const readInUtc = (values: Parameters<typeof readActivityQuery>[0]) =>
  readActivityQuery(values, (day) => new Date(`${day}T00:00:00Z`))

describe('The filter of the activity', () => {
  it('reads every field of an address, and writes the same address', () => {
    const values = {
      direction: 'sent',
      currency: 'USD',
      connection: 'abc',
      from: '2026-01-31',
      to: '2026-02-28',
      state: 'settled',
      counterparty: '$bob@',
      least: '1.5',
      most: '1,000.00',
      text: 'tea',
    }
    const { filter, errors, typed } = readInUtc(values)
    expect(errors).toEqual({})
    expect(filter).toEqual({
      direction: 'sent',
      code: 'USD',
      connectionId: 'abc',
      from: new Date('2026-01-31T00:00:00Z'),
      until: new Date('2026-03-01T00:00:00Z'),
      state: 'settled',
      counterparty: '$bob@',
      least: 1_500n,
      most: 1_000_000n,
      text: 'tea',
    })
    expect(Object.fromEntries(paramsOf(typed))).toEqual(values)
  })

  it.each([
    ['direction', 'up'],
    ['currency', 'usd'],
    ['currency', '__proto__'],
    ['connection', 'two words'],
    ['from', '2026-02-31'],
    ['from', '31.12.2026'],
    ['to', '9999-01-01'],
    ['state', 'lost'],
    ['least', '12,50'],
    ['most', '-1'],
    ['most', '0'],
  ])('names the mistake of the field %s: %s', (field, value) => {
    const { errors, typed } = readInUtc({ [field]: value })
    expect(Object.keys(errors)).toEqual([field])
    expect(typed[field as 'direction']).toBe(value)
  })

  it('asks for the first moments of the first day and of the day after the last', () => {
    const asked: string[] = []
    readActivityQuery({ from: '2026-12-31', to: '2026-12-31' }, (day) => {
      asked.push(day)
      return new Date(0)
    })
    expect(asked).toEqual(['2026-12-31', '2027-01-01'])
  })

  it('names a period and a range that end before they begin', () => {
    expect(readInUtc({ from: '2026-02-02', to: '2026-02-01', least: '2', most: '1' }).errors).toEqual({
      to: 'The last day is before the first.',
      most: 'The largest amount is below the smallest.',
    })
  })

  it('takes repeated, long and unprintable values as blank or shortened', () => {
    const { typed, errors } = readInUtc({
      text: `a\0${'b'.repeat(5_000)}`,
      counterparty: ['a', 'b'],
      other: 'x',
    })
    expect(errors).toEqual({})
    expect([typed.text.length, typed.counterparty]).toEqual([100, ''])
    expect(readInUtc({ text: `${'a'.repeat(99)}😀` }).typed.text).toBe('a'.repeat(99))
  })

  it('knows which filters an index serves', () => {
    expect(
      isIndexed(readInUtc({ direction: 'sent', currency: 'SAT', connection: 'c', from: '2026-01-01' }).filter),
    ).toBe(true)
    for (const field of ['state', 'counterparty', 'least', 'most', 'text'])
      expect(isIndexed(readInUtc({ [field]: field === 'state' ? 'failed' : '1' }).filter), field).toBe(false)
  })
})

const movement = (facts: Partial<Movement>): Movement => ({
  id: 1n,
  at: new Date('2026-01-02T03:04:05Z'),
  kind: 'payment',
  state: 'settled',
  code: 'USD',
  amount: -123_450n,
  text: 'Paid: to $bob@localhost',
  party: '$bob@localhost',
  memo: null,
  paymentHash: 'ab',
  about: null,
  connectionId: null,
  ...facts,
})

async function* slicesOf(slices: readonly (readonly Movement[])[], events: string[] = []) {
  try {
    for (const slice of slices) {
      events.push('read')
      yield slice
    }
  } finally {
    events.push('ended')
  }
}

describe('The export of the activity', () => {
  it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx', '\rx', ' =1', '＝1', '=cmd|"/c calc"!A1', '-'])(
    'makes no formula of the text %j',
    (text) => {
      expect(csvCell(text)).toBe(`"'${text.replaceAll('"', '""')}"`)
    },
  )

  it.each([
    ['-12.50', '-12.50'],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    // Where spreadsheets separate cells with semicolons.
    ['a;=1+1; @b;c', `"a;'=1+1;' @b;c"`],
  ])('writes the cell %j as %s', (text, cell) => {
    expect(csvCell(text)).toBe(cell)
  })

  it('writes CSV with plain amounts', async () => {
    const rows = [
      movement({ memo: '=HYPERLINK("x")' }),
      movement({ code: 'SAT', amount: 1_234_567n, party: null, paymentHash: null }),
    ]
    expect(await new Response(textStream(exportParts('csv', slicesOf([rows, []])))).text()).toBe(
      [
        'time,state,direction,amount,currency,description,counterparty,memo,connection,payment_hash',
        `2026-01-02T03:04:05.000Z,settled,sent,-1234.50,USD,Paid: to $bob@localhost,$bob@localhost,"'=HYPERLINK(""x"")",,ab`,
        '2026-01-02T03:04:05.000Z,settled,received,1234.567,SAT,Paid: to $bob@localhost,,,,',
        '',
      ].join('\r\n'),
    )
  })

  it('writes JSON that can be read, whatever the slices are', async () => {
    for (const slices of [[], [[]], [[movement({})]], [[movement({}), movement({})], [], [movement({})]]]) {
      const read: unknown = JSON.parse(await new Response(textStream(exportParts('json', slicesOf(slices)))).text())
      expect(read).toHaveLength(slices.flat().length)
    }
  })

  it('reads no slice before the reader asks, and none after the reader has left', async () => {
    const events: string[] = []
    const slices = Array.from({ length: 9 }, () => [movement({})])
    const reader = textStream(exportParts('csv', slicesOf(slices, events))).getReader()
    expect(events).toEqual([])
    await reader.read()
    await reader.read()
    await reader.read()
    expect(events).toEqual(['read', 'read'])
    await reader.cancel()
    expect(events).toEqual(['read', 'read', 'ended'])
  })
})
