import { afterAll, beforeAll, expect, it } from 'vitest'
import { SEED } from '../runners/chance'
import { openSimulatedDatabase, type SimulatedDatabase } from './database'
import { Breach } from './invariants'
import type { Fate } from './node'
import type { Operation } from './operations'
import { reportOf } from './report'
import { makeWorld, describe as text } from './world'

// S1: two payments on one account, five steps each, in every order, with a crash at every place: 252 x 11. Each runs
// one of four pairs of payments with one of nine pairs of outcomes.

interface Pairing {
  readonly name: string
  /** By the pair of outcomes, 0 to 8. */
  operations(outcome: number): readonly [Operation, Operation]
}

const ENDS: readonly Fate[] = ['hangs', 'hangs, fails', 'slow']
const PAIRINGS: readonly Pairing[] = [
  {
    name: 'the same invoice twice',
    operations: () => [
      { kind: 'pay', who: 0, invoice: 0 },
      { kind: 'pay', who: 0, invoice: 0 },
    ],
  },
  {
    name: 'two invoices, money for one',
    operations: () => [
      { kind: 'pay', who: 0, invoice: 0 },
      { kind: 'pay', who: 0, invoice: 1 },
    ],
  },
  {
    name: 'an invoice of this VASP and one of another node',
    operations: () => [
      { kind: 'pay own', who: 0, invoice: 0 },
      { kind: 'pay', who: 0, invoice: 2 },
    ],
  },
  {
    name: 'an invoice paid here and from outside',
    operations: (outcome) => [
      { kind: 'pay own', who: outcome % 3, invoice: 0 },
      { kind: 'receive', invoice: 0, more: Math.floor(outcome / 3) },
    ],
  },
]
const BALANCES = { ann: { SAT: 2_200_000n, USD: 5n }, ben: { SAT: 3_100_000n }, cho: { EUR: 180n } }

let database: SimulatedDatabase
beforeAll(async () => {
  database = await openSimulatedDatabase(BALANCES)
})
afterAll(() => database.close())

/** Every order of five steps of the first and five of the second. */
function orders(first: number, second: number): (0 | 1)[][] {
  if (first === 0 && second === 0) return [[]]
  return [
    ...(first > 0 ? orders(first - 1, second).map((rest): (0 | 1)[] => [0, ...rest]) : []),
    ...(second > 0 ? orders(first, second - 1).map((rest): (0 | 1)[] => [1, ...rest]) : []),
  ]
}

interface Execution {
  readonly pairing: number
  readonly order: readonly (0 | 1)[]
  readonly crashAt: number
  readonly outcome: number
}

async function run(
  { pairing, order, crashAt, outcome }: Execution,
  trace?: (line: string) => void,
): Promise<{ breach: Breach | undefined; steps: number }> {
  const operations = PAIRINGS[pairing]?.operations(outcome)
  if (operations === undefined) throw new Error(`there is no pair of payments ${pairing}`)
  const fates = [ENDS[outcome % 3] ?? 'slow', ENDS[Math.floor(outcome / 3)] ?? 'slow']
  const world = await makeWorld({
    database,
    operations: operations.map((operation) => ({ operation, on: 0 })),
    faults: [],
    node: { fates, feeQuarters: 2, refuses: outcome % 2 === 0 },
    instances: 1,
    waitSeconds: 8,
    trace,
  })
  try {
    for (const [place, which] of order.entries()) {
      if (place === crashAt) world.crash(0, place % 2 === 0 ? 'dropped' : 'done later')
      await step(which)
      world.watch.rethrow()
    }
    if (crashAt === order.length) world.crash(0, 'dropped')
    const quiet = await world.settleDown()
    world.watch.atTheEnd(database.readBooks(), quiet)
    world.watch.rethrow()
    return { breach: undefined, steps: world.counts.steps }
  } catch (error) {
    if (error instanceof Breach) return { breach: error, steps: world.counts.steps }
    throw error
  }

  /**
   * One of the two payments continues up to its next relevant call that the database or the node carries out, including
   * that call.
   */
  async function step(which: number): Promise<void> {
    const isOwn = operations?.[which]?.kind !== 'pay'
    for (;;) {
      const next = world.actions().find(({ cause }) => cause === which)
      if (next === undefined) return
      const before = database.version() + world.node.sends.size + world.node.inProgress().length * 1_000
      await world.perform(next)
      const after = database.version() + world.node.sends.size + world.node.inProgress().length * 1_000
      // If a payment ends in one statement, the reads before that statement count too.
      if (after !== before || (isOwn && next.effect)) return
    }
  }
}

it('keeps every invariant in every order of two payments, with a crash at every place', async () => {
  const startedAt = performance.now()
  let executions = 0
  let steps = 0
  for (const [number, order] of orders(5, 5).entries()) {
    for (let crashAt = 0; crashAt <= order.length; crashAt++) {
      // The pairs of payments and of outcomes in turn: 36 seeds in a row try all for each order and crash.
      const execution = { pairing: (SEED + number) % PAIRINGS.length, order, crashAt, outcome: (SEED + executions) % 9 }
      const { breach, steps: some } = await run(execution)
      executions += 1
      steps += some
      if (breach === undefined) continue
      const trace: string[] = []
      await run(execution, (line) => void trace.push(line))
      const pairing = PAIRINGS[execution.pairing]?.name
      const command = `npm run simulate -- --seed ${SEED} # ${pairing}, ${text(execution)}`
      throw new Error(reportOf({ command, breach, trace }))
    }
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`S1: SEED=${SEED}, ${executions} executions, ${steps} steps, ${seconds} s`)
  expect(executions).toBe(2_772)
})
