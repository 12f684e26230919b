import { setBounded } from '../platform/concurrency/bounded-map'

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en-GB')

/** "2 minutes ago", "in 3 days", "just now". A future time never reads as past. */
export function timeAgo(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000)
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now'
  return relative.format(Math.trunc(seconds / unit[1]), unit[0])
}

/** The zone of a page until the user's zone is known. */
export const UTC = 'UTC'

function formatsOf(timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
  return {
    absolute: format({ dateStyle: 'long', timeStyle: 'short' }),
    day: format({ day: 'numeric', month: 'short' }),
    clock: format({ timeStyle: 'short' }),
    clockWithSeconds: format({ timeStyle: 'medium' }),
    month: format({ month: 'long', year: 'numeric' }),
    named: format({ hour: 'numeric', timeZoneName: 'short' }),
    numbers: format({
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    }),
  }
}

/** Formats take time to create and memory to keep. A browser can name any zone. */
const MAX_ZONES = 50
const known = new Map([[UTC, formatsOf(UTC)]])

/** @throws RangeError for an unknown zone. */
function formatsIn(zone: string): ReturnType<typeof formatsOf> {
  const found = known.get(zone)
  if (found !== undefined) return found
  const formats = formatsOf(zone)
  setBounded(known, zone, formats, MAX_ZONES)
  return formats
}

/** The IANA name of a time zone, such as "Europe/Zurich", from text in any case; undefined for any other text. */
export function readTimeZone(text: string): string | undefined {
  // Offsets such as +01:00 are zones to `Intl`, but not names.
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return undefined
  try {
    const { timeZone } = formatsIn(text).absolute.resolvedOptions()
    if (timeZone === UTC) return UTC
    // Another spelling of the same name. A former name of a zone stays as it was chosen.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text
  } catch {
    return undefined
  }
}

/** "UTC", "Zurich time": a zone for the heading of a column of times. */
export function zoneInWords(zone: string): string {
  return zone === UTC ? UTC : `${(zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')} time`
}

/** "UTC", "CET", "GMT-5": the zone's name at this moment. */
function nameAt(at: Date, zone: string): string {
  if (zone === UTC) return UTC
  return (
    formatsIn(zone)
      .named.formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? zone
  )
}

/** The long form: "21 November 2026 at 14:05 UTC" */
export function dateAndTime(at: Date, zone = UTC): string {
  return `${formatsIn(zone).absolute.format(at)} ${nameAt(at, zone)}`
}

/** The short form, for use where a heading names the year and the zone: "21 Nov 14:05" */
export function dayAndTime(at: Date, zone = UTC): string {
  const { day, clock } = formatsIn(zone)
  return `${day.format(at)} ${clock.format(at)}`
}

/** The short form to the second: "21 Nov 14:05:07 UTC" */
export function toTheSecond(at: Date, zone = UTC): string {
  const { day, clockWithSeconds } = formatsIn(zone)
  return `${day.format(at)} ${clockWithSeconds.format(at)} ${nameAt(at, zone)}`
}

const long = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** "21 November 2026" */
export function fullDay(at: Date): string {
  return long.format(at)
}

/** "2026-11-21": the day of a moment, as a field for dates has it. */
export function dayIn(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetAt(at, zone)).toISOString().slice(0, 10)
}

/** The first moment of a day such as "2026-11-21". Where the clocks skip midnight, that is one o'clock. */
export function startOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const [before, after] = [-DAY_MS, DAY_MS].map((shift) => offsetAt(new Date(midnight + shift), zone)) as [
    number,
    number,
  ]
  const first = new Date(midnight - before)
  if (offsetAt(first, zone) === before) return first
  const second = new Date(midnight - after)
  return offsetAt(second, zone) === after ? second : first
}

const DAY_MS = 86_400_000

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(at: Date, zone: string): number {
  if (zone === UTC) return 0
  const parts = formatsIn(zone).numbers.formatToParts(at)
  const [year, month, day, hour, minute, second] = (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
    (name) => Number(parts.find(({ type }) => type === name)?.value),
  ) as [number, number, number, number, number, number]
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at.getTime() / 1_000) * 1_000
}

/** "November 2026" */
export function monthAndYear(at: Date, zone = UTC): string {
  return formatsIn(zone).month.format(at)
}

/** Lines with the month of their time, in the order of the lines. */
export function byMonth<Line extends { readonly at: Date }>(lines: readonly Line[], zone = UTC): [string, Line[]][] {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const month = monthAndYear(line.at, zone)
    const group = groups.get(month)
    if (group === undefined) groups.set(month, [line])
    else group.push(line)
  }
  return [...groups]
}

/** Midnight (UTC) of the first day of the month. */
export function startOfMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
}

/** How many days the month has (UTC). */
export function daysInMonth(at: Date): number {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
}
