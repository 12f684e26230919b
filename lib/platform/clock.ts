export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Seconds since 1970, the unit of JWT and API timestamps. */
export function epochSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
