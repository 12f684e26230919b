const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** "21 Nov 14:05", in UTC like every time on these pages. */
export function dayAndTime(at: Date): string {
  return `${day.format(at)} ${clock.format(at)}`
}

/** "November 2026" */
export function monthAndYear(at: Date): string {
  return month.format(at)
}

/** "21 Nov 14:05:07 UTC" */
export function toTheSecond(at: Date): string {
  return `${day.format(at)} ${clockWithSeconds.format(at)} UTC`
}
