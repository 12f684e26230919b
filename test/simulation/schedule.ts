import fc from 'fast-check'
import type { SimulatedDatabase } from './database'
import { Breach } from './invariants'
import { FATES, type Fate } from './node'
import type { Operation } from './operations'
import type { PlantedPorts } from './planted-bugs'
import { FAULTS, makeWorld, PLACES, type Fault, type Place, type World } from './world'

// S2: three users, three currencies, four to eight concurrent operations on one or two instances, and up to four faults at
// places that are reached.

export interface Schedule {
  readonly operations: readonly { readonly operation: Operation; readonly on: number }[]
  readonly faults: readonly Fault[]
  readonly fates: readonly Fate[]
  readonly feeQuarters: number
  readonly refuses: boolean
  readonly waitSeconds: number
  readonly instances: number
  /** Which of the possible actions is next, step by step; after that all continue in order. */
  readonly choices: readonly number[]
}

const who = fc.nat({ max: 2 })
/** Few values to choose from, so that operations conflict. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pay' as const), who, invoice: fc.nat({ max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pay own' as const), who, invoice: fc.nat({ max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('keysend' as const),
      who,
      preimage: fc.nat({ max: 1 }),
      to: fc.oneof(fc.nat({ max: 2 }), fc.constant('outside' as const)),
      key: fc.option(fc.nat({ max: 1 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('exchange' as const),
      who,
      back: fc.boolean(),
      amount: fc.integer({ min: 1, max: 150 }),
      id: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('receive' as const),
      invoice: fc.nat({ max: 4 }),
      more: fc.nat({ max: 3 }),
    }),
  },
)
const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...FATES) },
  { weight: 3, arbitrary: fc.constant<Fate>('arrives') },
  { weight: 2, arbitrary: fc.constant<Fate>('flaps') },
)
const OFTEN: readonly Place[] = ['hold', 'mark sending', 'node takes', 'settle']
const SELDOM: readonly Place[] = ['give up', 'release', 'late loss', 'pay own', 'keysend own', 'credit', 'suspend']
const fault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...FAULTS) },
    {
      weight: 12,
      arbitrary: fc.constantFrom('crash before' as const, 'crash, then done' as const, 'crash after' as const),
    },
  ),
  at: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...PLACES) },
    { weight: 4, arbitrary: fc.constantFrom(...SELDOM) },
    { weight: 4, arbitrary: fc.constantFrom(...OFTEN) },
  ),
  nth: fc.constantFrom(1, 1, 1, 2),
})
/** A worker takes over a payment whose send is still to come. Chance alone would cause this too rarely. */
const pausedSend: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant('pause' as const),
  at: fc.constantFrom('mark sending' as const, 'node takes' as const),
  nth: fc.constantFrom(1, 2),
})
const severalFaults: fc.Arbitrary<Fault[]> = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fault }, { weight: 1, arbitrary: pausedSend }), fault, fault, fault)
  .map((each) => [...each])

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  operations: fc.array(fc.record({ operation, on: fc.nat({ max: 1 }) }), { minLength: 4, maxLength: 8, size: 'max' }),
  faults: severalFaults,
  fates: fc.array(fate, { minLength: 1, maxLength: 3 }),
  feeQuarters: fc.nat({ max: 4 }),
  refuses: fc.boolean(),
  // Less than the duration of a lease, so that a payment that is taken over is old.
  waitSeconds: fc.constantFrom(8, 4),
  instances: fc.constantFrom(2, 2, 2, 1),
  choices: fc.array(fc.nat({ max: 5_039 }), { minLength: 0, maxLength: 120, size: 'max' }),
})

/** The command that runs exactly this schedule. */
export const repeating = (schedule: Schedule): string => `npm run simulate -- --repeat '${JSON.stringify(schedule)}'`

export interface Outcome {
  readonly breach: Breach | undefined
  readonly world: World
}

export interface RunOptions {
  readonly database: SimulatedDatabase
  readonly plant?: PlantedPorts
  readonly trace?: (line: string) => void
}

export async function run(schedule: Schedule, { database, plant, trace }: RunOptions): Promise<Outcome> {
  const { operations, faults, fates, feeQuarters, refuses, waitSeconds, instances, choices } = schedule
  const world = await makeWorld({
    database,
    plant,
    operations,
    faults,
    node: { fates, feeQuarters, refuses },
    instances,
    waitSeconds,
    trace,
  })
  try {
    for (const choice of choices) {
      const actions = world.actions()
      const chosen = actions[choice % (actions.length + 1)]
      if (chosen === undefined) await world.wait()
      else await world.perform(chosen)
      world.watch.rethrow()
    }
    const quiet = await world.settleDown()
    world.watch.atTheEnd(database.readBooks(), quiet)
    world.watch.rethrow()
    return { breach: undefined, world }
  } catch (error) {
    if (error instanceof Breach) return { breach: error, world }
    throw error
  }
}
