import { describe, expect, it } from 'vitest'
import { dateAndTime, dayAndTime, monthAndYear, timeAgo, timeToTheSecond, toTheSecond } from './time'

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
    [-86_400, 'yesterday'],
  ])('formats %i seconds from now as "%s"', (seconds, words) => {
    expect(timeAgo(after(seconds), NOW)).toBe(words)
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
    expect(timeToTheSecond(after(7))).toBe('14:05:07')
    expect(monthAndYear(NOW)).toBe('November 2026')
  })
})
