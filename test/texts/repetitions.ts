import { createContext, Script } from 'node:vm'

/** Linear work takes milliseconds on a text. The stop ends only work that would take many seconds, or hours. */
const STOP_AFTER_MS = 5_000
const LENGTH = 128 * 1024

/** Pieces of texts that a stranger may repeat: letters, digits, separators of all formats, and beginnings of tokens. */
export const PIECES = [
  ...Array.from('aZ09 \t\n\0%({[<"\'&=:;/.-_@?#,\\+|~é\u2028'),
  '😀',
  '\ud800',
  '\r\n',
  '//',
  '::',
  ' :',
  '= ',
  '--',
  '1,',
  '1.',
  '0.',
  'a.',
  'a-',
  'a:',
  'a=',
  'a@',
  'a ',
  'ey-',
  'ey0000-',
  'ey00000.',
  'eyJhbGciOi.eyJ-',
  'Bearer ',
  'lnbc1',
  '%2e',
  '%ff',
  '../',
  '//a:',
  '<a ',
  '<form>',
  '<form',
  '<input ',
  '</form',
  '&amp',
  '&#1',
  'at ',
  'at :1',
  '"a":',
  '"token":"',
  '?token=',
  '-----BEGIN ',
] as const

/**
 * 128 kB of one piece: twice the largest body of a request. The end matches hardly any pattern, so that a pattern that reads
 * the text to its end fails there and goes back.
 */
export function repeated(piece: string, before = ''): string {
  return `${before}${piece.repeat(Math.ceil(LENGTH / piece.length))}\n\0`
}

/** Runs synchronous work for each text. @throws Error that names the text for which the work does not end. */
export function runForEach(texts: Iterable<string>, work: (text: string) => unknown): void {
  const context = createContext({ run: () => undefined as unknown })
  const script = new Script('run()')
  for (const text of texts)
    try {
      context.run = () => work(text)
      script.runInContext(context, { timeout: STOP_AFTER_MS })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      throw new Error(`not linear for the text ${JSON.stringify(text.slice(0, 60))}…`, { cause: error })
    }
}
