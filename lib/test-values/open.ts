import type { Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import type { CreateInvoice } from '../invoices/service'
import type { SandboxNode } from '../lightning/sandbox/node'
import type { FindRecipient } from '../uma/payable-user'
import { withTestMemos } from './create-invoice'
import { withTestRecipients } from './find-recipient'
import { makeTestNode, type TestNode } from './test-node'
import { makeTestPayer } from './test-payer'

export interface TestValues {
  /** A peer of this VASP's node. */
  readonly neighbour: Pick<TestNode, 'peer' | 'post'>
  withRecipients(find: FindRecipient): FindRecipient
  withMemos(create: CreateInvoice, node: Pick<SandboxNode, 'identity' | 'answer'>): CreateInvoice
}

export interface TestValuesParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly lightningNodeKeyHex: string | undefined; readonly publicOrigin: string }
}

/** The test recipients and test memos of the sandbox tools. `lib/start.ts` loads this folder only with the tools. */
export function openTestValues({ db, clock, log, settings }: TestValuesParts): TestValues {
  const { lightningNodeKeyHex: nodeSecretHex = '', publicOrigin } = settings
  const testNode = makeTestNode({ db, clock, nodeSecretHex, publicOrigin })
  return {
    neighbour: testNode,
    withRecipients: (find) => withTestRecipients(find, testNode),
    withMemos: (create, node) =>
      withTestMemos(create, makeTestPayer({ db, log, pay: (invoice) => testNode.pay(node, invoice) })),
  }
}
