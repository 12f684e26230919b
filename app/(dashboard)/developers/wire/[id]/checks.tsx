import type { Check } from 'uma-auth-vasp'
import { CHECK_RULES, type CheckState } from '@/lib/sandbox/wire/reference'

export const CHECK_MARKS = {
  passed: ['text-green', '✓ passed'],
  failed: ['text-red', '× failed'],
  'not reached': ['text-muted', '○ not reached'],
} as const satisfies Record<CheckState, readonly [string, string]>

interface Props {
  /** Why the check failed, when the server has more detail than the response. */
  readonly reason: string | undefined
  readonly checks: readonly { readonly check: Check; readonly state: CheckState }[]
}

/** The checks of a call in the order of execution. The first one that fails ends the call. */
export function Checks({ checks, reason }: Props) {
  return (
    <section aria-labelledby="checks" className="mt-8">
      <h2 id="checks">Checks</h2>
      <ol className="mt-2">
        {checks.map(({ check, state }) => {
          const [colour, words] = CHECK_MARKS[state]
          const { rule, paragraph } = CHECK_RULES[check]
          return (
            <li
              key={check}
              className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[9rem_1fr_8rem]"
            >
              <span className={state === 'failed' ? 'font-semibold text-red' : ''}>{check}</span>
              <span className={`${colour} text-sm md:order-last`}>{words}</span>
              <span className="label max-md:col-span-full">
                {rule}
                {paragraph === undefined ? null : ` (${paragraph})`}
                {state === 'failed' && reason !== undefined ? (
                  <strong className="block font-semibold text-ink">{reason}</strong>
                ) : null}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
