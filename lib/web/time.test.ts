import { describe, expect, it } from 'vitest'
import {
  byMonth,
  dateAndTime,
  dayAndTime,
  dayIn,
  monthAndYear,
  readTimeZone,
  startOfDay,
  timeAgo,
  toTheSecond,
  zoneInWords,
} from './time'

const NOW = new Date('2026-11-21T14:05:00Z')
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000)

describe('timeAgo', () => {
  it.each([
    [0, 'just now'],
    [-59, 'just now'],
    [59, 'in less than a minute'],
    [-60, '1 minute ago'],
    [-7_199, '1 hour ago'],
    [3_600, 'in 1 hour'],
    [-86_400, '1 day ago'],
    [-2 * 86_400 + 1, '1 day ago'],
  ])('formats %i seconds from now as "%s"', (seconds, words) => {
    expect(timeAgo(after(seconds), NOW)).toBe(words)
  })
})

describe('byMonth', () => {
  it('groups lines by the month of the zone and keeps their order', () => {
    const lines = ['2026-12-01T00:00:00Z', '2026-11-30T23:30:00Z', '2026-11-01T00:00:00Z'].map((at) => ({
      at: new Date(at),
    }))
    const [first, second, third] = lines
    expect(byMonth(lines)).toEqual([
      ['December 2026', [first]],
      ['November 2026', [second, third]],
    ])
    expect(byMonth(lines, 'Europe/Zurich')).toEqual([
      ['December 2026', [first, second]],
      ['November 2026', [third]],
    ])
    expect(byMonth([])).toEqual([])
  })
})

describe('dateAndTime', () => {
  it('names the time zone', () => {
    expect(dateAndTime(NOW)).toBe('21 November 2026 at 14:05 UTC')
  })
})

describe('a date', () => {
  it('has short forms, in UTC', () => {
    expect(dayAndTime(NOW)).toBe('21 Nov 14:05')
    expect(toTheSecond(after(7))).toBe('21 Nov 14:05:07 UTC')
    expect(monthAndYear(NOW)).toBe('November 2026')
  })
})

describe('a time zone', () => {
  it('moves the date, the hour and the month, and is named', () => {
    const newYear = new Date('2026-12-31T23:30:07Z')
    expect(dateAndTime(newYear, 'Europe/Zurich')).toBe('1 January 2027 at 00:30 CET')
    expect(dateAndTime(new Date('2026-07-01T12:00:00Z'), 'Europe/Zurich')).toBe('1 July 2026 at 14:00 CEST')
    expect(dayAndTime(newYear, 'Asia/Tokyo')).toBe('1 Jan 08:30')
    expect(toTheSecond(newYear, 'America/New_York')).toBe('31 Dec 18:30:07 GMT-5')
    expect(monthAndYear(newYear, 'Asia/Tokyo')).toBe('January 2027')
    expect(zoneInWords('America/New_York')).toBe('New York time')
    expect(zoneInWords('UTC')).toBe('UTC')
  })

  it.each([
    ['Europe/Zurich', 'Europe/Zurich'],
    ['europe/zurich', 'Europe/Zurich'],
    ['Etc/UTC', 'UTC'],
    ['utc', 'UTC'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Mars/Olympus', undefined],
    ['+01:00', undefined],
    ['', undefined],
    ['a; Path=/', undefined],
    ['x'.repeat(65), undefined],
    ['constructor', undefined],
  ])('is read from %j as %j', (text, zone) => {
    // The second time, its formats are known.
    for (const _ of [1, 2]) expect(readTimeZone(text)).toBe(zone)
  })

  it('is found again after more zones than are kept', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) expect(dateAndTime(NOW, zone)).toMatch(/November 2026 at/)
    expect(dateAndTime(NOW)).toBe('21 November 2026 at 14:05 UTC')
    expect(readTimeZone('Europe/Zurich')).toBe('Europe/Zurich')
  })
})

describe('A day of a time zone', () => {
  it.each([
    ['Asia/Tokyo', '2026-03-08', '2026-03-07T15:00:00.000Z'],
    ['UTC', '2026-03-08', '2026-03-08T00:00:00.000Z'],
    // 23 and 25 hours.
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-01', '2026-05-31T18:30:00.000Z'],
    // Midnight is skipped, then repeated.
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  ])('begins in %s on %s at %s', (zone, day, start) => {
    const begins = startOfDay(day, zone)
    expect(begins.toISOString()).toBe(start)
    expect(dayIn(begins, zone)).toBe(day)
    expect(dayIn(new Date(begins.getTime() - 1), zone) < day).toBe(true)
  })
})
