const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** "2 minutes ago", "in 3 days", "just now". A future time never reads as past. */
export function timeAgo(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000)
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now'
  return relative.format(Math.trunc(seconds / unit[1]), unit[0])
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The long form: "21 November 2026 at 14:05 UTC" */
export function dateAndTime(date: Date): string {
  return `${absolute.format(date)} UTC`
}

/** The short form, for use where a heading names the year and UTC: "21 Nov 14:05" */
export function dayAndTime(at: Date): string {
  return `${day.format(at)} ${clock.format(at)}`
}

/** The short form to the second: "21 Nov 14:05:07 UTC" */
export function toTheSecond(at: Date): string {
  return `${day.format(at)} ${clockWithSeconds.format(at)} UTC`
}

/** The time alone, to the second, for use where a heading names UTC: "14:05:07" */
export function timeToTheSecond(at: Date): string {
  return clockWithSeconds.format(at)
}

const long = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** "21 November 2026" */
export function fullDay(at: Date): string {
  return long.format(at)
}

/** "November 2026" */
export function monthAndYear(at: Date): string {
  return month.format(at)
}

/** Midnight (UTC) of the first day of the month. */
export function startOfMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
}

/** How many days the month has (UTC). */
export function daysInMonth(at: Date): number {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
}
