import { scrub, type Log } from './log'

/**
 * Next tells what fails in a page on the console: many lines, with whatever the error quotes. Sent to the log instead,
 * where an error is one line and secrets are cut out. For the production server, which has no other use for the console.
 */
export function consoleToLog(log: Log, target: Pick<Console, 'error' | 'warn'> = console): void {
  const write =
    (level: 'error' | 'warn') =>
    (...parts: unknown[]): void => {
      const error = parts.find((part) => part instanceof Error)
      const text = parts.filter((part) => typeof part === 'string').join(' ')
      log[level]({ error }, scrub(text).replaceAll(/\s+/g, ' ').trim() || 'a page failed')
    }
  target.error = write('error')
  target.warn = write('warn')
}
