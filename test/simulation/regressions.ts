import type { Schedule } from './schedule'

/** Schedules that once broke an invariant, each with what was wrong. They are run before anything else. */
export const REGRESSIONS: readonly { readonly found: string; readonly schedule: Schedule }[] = [
  {
    found: 'N10: another preimage under the Idempotency-Key of an earlier keysend was answered with that one',
    schedule: {
      operations: [
        { operation: { kind: 'keysend', who: 1, preimage: 0, to: 'outside', key: 0 }, on: 0 },
        { operation: { kind: 'keysend', who: 1, preimage: 1, to: 'outside', key: 0 }, on: 0 },
      ],
      faults: [],
      fates: ['arrives'],
      feeQuarters: 0,
      refuses: false,
      waitSeconds: 8,
      choices: [],
    },
  },
]
