import { Alert, Success } from '@/components/ui/alert'

const COUNT = /^\d{1,4}$/
export const inWords = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** The outcome of a reset. The URL has both counts, but not the text. */
export function ResetOutcome({ reset = '', pending = '' }: { readonly reset?: string; readonly pending?: string }) {
  if (!COUNT.test(reset) || !COUNT.test(pending)) return null
  return (
    <>
      {Number(reset) === 0 ? null : <Success>{inWords(Number(reset), 'user')} reset.</Success>}
      {Number(pending) === 0 ? null : (
        <Alert>
          {inWords(Number(pending), 'user')} not reset, because a payment is in progress. Try again when it has ended.
        </Alert>
      )}
    </>
  )
}
