import type { Database } from '@/lib/platform/db/database'
import type { Application } from '@/lib/backend/application'
import type { LightningNode, NodeEvent } from '@/lib/lightning/node'
import type { Log } from '@/lib/platform/log'
import { renewLeases } from '@/lib/payments/recover'
import { makePaymentWorker } from '@/lib/payments/worker'
import { REMOTE_KEY } from './cast'
import { PATIENCE, inStep, type StatementCounts } from './in-step'
import { PORT_CONSTANTS, makeSimulatedNode } from './node'
import { answerOf, askedBy, carryOut, paperOf } from './operations'
import type { Schedule } from './schedule'
import type { Settled, Wanted } from './settlers'
import { makeTwin, type Twin } from './twin'
import { describe as text } from './world'

// One random history, through the real code, on SQL and on the twin at once.

const silent = { error: () => {}, warn: () => {}, info: () => {} } as unknown as Log

/** What a history needs before it begins. */
export function wantedBy(schedule: Schedule, mark: string): Wanted {
  const own = schedule.operations.flatMap(({ operation }) =>
    operation.kind === 'receive' || operation.kind === 'pay own' ? [operation.invoice % 4] : [0],
  )
  return { mark, own: [...new Set(own)] }
}

export interface HistoryPorts extends Pick<Application, 'house' | 'nodeAccounts' | 'rates'> {
  readonly db: Database
  readonly counts: StatementCounts
}

/**
 * Carries a history out. Gives the twin, whose rows are then to be compared; nothing of the history is left open.
 * @throws Error that names the statement after which the two said different things.
 */
export async function history(
  { db, counts, ...constants }: HistoryPorts,
  schedule: Schedule,
  settled: Settled,
  nowMs: number,
  afterEach?: (twin: Twin, step: string) => Promise<void>,
): Promise<Twin> {
  const { stage } = settled
  const { people, mark } = stage
  const worker = `worker of ${mark}`
  const twin = makeTwin(nowMs)
  twin.now = () => Date.now()
  twin.adopt(settled)
  for (const { key, faucet, account, amount } of settled.openings)
    twin.execute('post_entry', ['opening', key, [faucet, account], [-amount, amount]])
  for (const invoice of settled.invoices) twin.addInvoice({ ...invoice, expiresAt: nowMs + 3_600_000 })
  const { db: both, agreed } = inStep({
    db,
    twin,
    people,
    counts,
    afterEach: afterEach === undefined ? undefined : (step) => afterEach(twin, step),
  })
  const preimages = new Map(stage.foreign.map(({ hash, preimage }) => [hash, preimage]))
  const node = makeSimulatedNode({ ...schedule, preimageOf: (hash) => preimages.get(hash) })
  const listeners: ((event: NodeEvent) => Promise<void>)[] = []
  const port: LightningNode = {
    ...PORT_CONSTANTS,
    send(payment) {
      const outcome = node.send(payment)
      return Promise.resolve(outcome === 'hangs' ? { kind: 'unknown' } : outcome)
    },
    track: ({ sendId }) => Promise.resolve(node.track(sendId)),
    listen(listener) {
      listeners.push(listener)
      return () => {}
    },
  }
  const ports = {
    ...constants,
    db: both,
    node: port,
    log: silent,
    audit: { state: () => 'ok', report: () => {}, refusePaymentsAfterBreach: () => {} },
    ids: { uuid: () => worker },
    clock: { now: () => new Date() },
    settings: { paymentWaitSeconds: 0, maxOpenPaymentsPerUser: 2 },
  } as unknown as Application
  const deps: Application = { ...ports, paymentWorker: makePaymentWorker(ports) }

  for (const { operation } of schedule.operations) {
    if (operation.kind === 'receive') {
      const event = node.receive({
        paymentHash: paperOf(stage, { ...operation, invoice: operation.invoice % 4 }).hash,
        amountMsats: 1_000_000n,
        account: REMOTE_KEY,
      })
      if (event !== undefined) for (const listener of [...listeners, ...listeners]) await listener(event)
    } else await answerOf(askedBy(stage, operation), carryOut(deps, stage, operation))
    if (schedule.choices.length % 3 === 0) await timePasses()
  }
  for (let round = 0; round < 3; round++) {
    for (const sendId of node.underWay()) for (const listener of listeners) await listener(node.end(sendId))
    await timePasses()
  }
  agreed()
  await endWhatIsOpen(db, twin, people)
  return twin

  /** The claims run out on both sides, are renewed, and run out again; the worker takes up what is left. */
  async function timePasses(): Promise<void> {
    // In its turn, between the statements of payments that are being carried.
    await both.query(PATIENCE, [people])
    const open = twin.books().payments.flatMap(({ id, state }) => (state === 'held' || state === 'sending' ? [id] : []))
    // Now and then as if they were being sent at this moment, so that what the node did not know is forgotten.
    await renewLeases(ports, open, worker, schedule.choices.length % 4 === 0 ? open : [])
    await both.query(PATIENCE, [people])
    await deps.paymentWorker.reconcile()
  }
}

/** What is still open would be claimed by the next history: it ends on both sides, once they have said what it is. */
async function endWhatIsOpen(db: Database, twin: Twin, people: readonly string[]): Promise<void> {
  const open = await db.query<{ id: bigint; state: string; lease_owner: string | null }>(
    {
      name: 'simulated_end',
      text: `with open as materialized (select id, state, lease_owner from payments
                                        where user_id = any($1) and state in ('held', 'sending') order by id)
             select open.*, fail_payment(id, 'never-sent') from open`,
    },
    [people],
  )
  const sql = open.map(({ id, state, lease_owner }) => text([id, state, lease_owner]))
  const twins = twin
    .books()
    .payments.filter(({ state }) => state === 'held' || state === 'sending')
    .map(({ id, state, lease_owner }) => text([id, state, lease_owner]))
    .sort()
  if (sql.sort().join() !== twins.join())
    throw new Error(`what is open at the end\n  SQL:  ${sql.join()}\n  twin: ${twins.join()}`)
  for (const { id } of open) twin.execute('fail_payment', [id, 'never-sent'])
}
