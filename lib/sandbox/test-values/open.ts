import type { CreateInvoice } from '../../invoices/service'
import type { SimulatedNode } from '../../lightning/simulated-node/node'
import type { WireServerParts } from '../../lightning/simulated-node/peer-server'
import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import type { Log } from '../../platform/log'
import type { FindRecipient } from '../../uma/payable-user'
import { withTestMemos } from './create-invoice'
import { withTestRecipients } from './find-recipient'
import { readTestMemo } from './memos'
import { makeTestNode, type TestNode } from './test-node'
import { makeTestPayer } from './test-payer'

export interface TestValues {
  /** A peer of this VASP's node. */
  readonly testPeer: Pick<TestNode, 'peer' | 'post'>
  withRecipients(find: FindRecipient): FindRecipient
  /** Whether the hash belongs to an open invoice whose memo keeps its payments on hold (`WireServerParts`). */
  readonly isHeld: NonNullable<WireServerParts['isHeld']>
  withMemos(create: CreateInvoice, node: Pick<SimulatedNode, 'identity' | 'answer'>): CreateInvoice
}

export interface TestValuesParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly lightningNodeKeyHex: string | undefined; readonly publicOrigin: string }
}

/** Only in an invoice that its owner created. The description of a requested invoice is the payer's comment. */
const HELD = statement(
  'is_held_invoice',
  `select from invoices
   where payment_hash = $1 and settled_at is null and expires_at > now() and description ilike '%[held]%'
     and not exists (select from uma_pay_requests where invoice_id = invoices.id)`,
)

/** The test recipients and test memos of the sandbox tools. `lib/start.ts` loads this folder only when the tools are on. */
export function openTestValues({ db, clock, log, settings }: TestValuesParts): TestValues {
  const { lightningNodeKeyHex: nodeSecretHex = '', publicOrigin } = settings
  const testNode = makeTestNode({ db, clock, nodeSecretHex, publicOrigin })
  return {
    testPeer: testNode,
    withRecipients: (find) => withTestRecipients(find, testNode),
    // Nearly all memos need no query.
    isHeld: async (paymentHash, memo) =>
      (memo === undefined || readTestMemo(memo ?? '').isHeld) && (await db.query(HELD, [paymentHash])).length > 0,
    withMemos: (create, node) =>
      withTestMemos(create, makeTestPayer({ db, log, pay: (invoice) => testNode.pay(node, invoice) })),
  }
}
