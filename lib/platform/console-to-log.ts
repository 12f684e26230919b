import { makeBoundedLog } from './bounded-log'
import { scrub, type Log } from './log'

/**
 * Redirects the console to the log, where an error is one line without secrets. Next writes a page failure to the
 * console in many lines, which quote the input of the failed call. Only for the production server, where only Next uses
 * the console. Any client can cause some of these errors, so their lines are bounded.
 */
export function consoleToLog(log: Log, target: Pick<Console, 'error' | 'warn'> = console): void {
  const bounded = makeBoundedLog(log)
  const write =
    (level: 'error' | 'warn') =>
    (...parts: unknown[]): void => {
      const error = parts.find((part) => part instanceof Error)
      const text = parts.filter((part) => typeof part === 'string').join(' ')
      bounded.write(
        level,
        `${level}s of pages`,
        { error },
        scrub(text).replaceAll(/\s+/g, ' ').trim() || 'a page failed',
      )
    }
  target.error = write('error')
  target.warn = write('warn')
}
