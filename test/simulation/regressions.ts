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
      instances: 2,
      choices: [],
    },
  },
  {
    found: 'N7: a success told while the same instance was booking the failure it takes back was never heard',
    schedule: {
      operations: [{ operation: { kind: 'pay', who: 0, invoice: 0 }, on: 0 }],
      faults: [],
      fates: ['flaps'],
      feeQuarters: 0,
      refuses: false,
      waitSeconds: 8,
      instances: 1,
      choices: [...Array.from({ length: 16 }, () => 0), 1, 1],
    },
  },
  {
    found: 'N7: a hold whose answer came late was given up and sent at once, by one worker that had it in hand twice',
    schedule: {
      operations: [{ operation: { kind: 'pay', who: 0, invoice: 0 }, on: 0 }],
      faults: [{ kind: 'clock forward', at: 'hold', nth: 1 }],
      fates: ['arrives'],
      feeQuarters: 0,
      refuses: false,
      waitSeconds: 4,
      instances: 1,
      choices: [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 7, 0, 0, 0, 3, 4, 4, 0, 2],
    },
  },
  {
    found:
      'N7, of the simulation itself: it ended while an instance that had paused was still to hear of a late success',
    schedule: {
      operations: [
        { operation: { kind: 'pay own', who: 0, invoice: 0 }, on: 0 },
        { operation: { kind: 'pay', who: 0, invoice: 0 }, on: 0 },
        { operation: { kind: 'pay', who: 0, invoice: 0 }, on: 0 },
        { operation: { kind: 'keysend', who: 0, preimage: 0, to: 0, key: null }, on: 0 },
      ],
      faults: [
        { at: 'late loss', kind: 'pause', nth: 1 },
        { kind: 'crash before', at: 'give up', nth: 1 },
        { kind: 'crash before', at: 'hold', nth: 1 },
      ],
      fates: ['flaps'],
      feeQuarters: 0,
      refuses: false,
      waitSeconds: 8,
      instances: 1,
      choices: [0, 1332, 353, 3371, 2042],
    },
  },
]
