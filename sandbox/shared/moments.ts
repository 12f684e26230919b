import { dateAndTime, toTheSecond } from '../../lib/web/time'

/** "21 November 2026 at 14:05 UTC": a time as the VASP's pages format it. */
export function moment(seconds: number): string {
  return dateAndTime(new Date(seconds * 1000))
}

/** "21 Nov 14:05:07 UTC": with seconds, because calls are frequent. */
export function momentOfCall(ms: number): string {
  return toTheSecond(new Date(ms))
}
