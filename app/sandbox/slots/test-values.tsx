import { addressOf } from 'uma-auth-vasp'
import { TEST_MEMOS } from '@/lib/sandbox/test-values/memos'
import { TEST_RECIPIENTS } from '@/lib/sandbox/test-values/recipients'

/** The send form with an address in its field. */
export function tryAddress(address: string): string {
  return `/wallets/send?${new URLSearchParams({ try: address })}`
}

/** The test recipients. A link puts the address into the field of the send form, even without JavaScript. */
export function TestRecipients({ domain }: { readonly domain: string }) {
  return (
    <ul className="mt-2 max-w-3xl">
      {TEST_RECIPIENTS.map(({ name, effect, code }) => {
        const address = addressOf(name, domain)
        return (
          <li key={name} className="line grid gap-x-4 py-2 sm:grid-cols-[17rem_1fr]">
            <a className="row-link break-words" href={tryAddress(address)}>
              <code>{address}</code>
            </a>
            <span>
              {effect}
              {code === undefined ? null : (
                <>
                  {' '}
                  <code className="text-muted">{code}</code>
                </>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

export function TestMemos() {
  return (
    <ul className="mt-2 max-w-3xl">
      {TEST_MEMOS.map(({ text, effect }) => (
        <li key={text} className="line grid gap-x-4 py-2 sm:grid-cols-[10rem_1fr]">
          <code>{text}</code>
          <span>{effect}</span>
        </li>
      ))}
    </ul>
  )
}

/** Below the send form. */
export function SendExamples({ domain }: { readonly domain: string }) {
  return (
    <details className="max-w-none!">
      <summary className="tap">Try these test recipients</summary>
      <TestRecipients domain={domain} />
    </details>
  )
}

/** Below the memo of the receive form. */
export function ReceiveExamples() {
  return (
    <details>
      <summary className="tap">Try these test memos</summary>
      <TestMemos />
    </details>
  )
}
