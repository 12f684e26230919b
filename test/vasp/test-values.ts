import { createInvoice } from '@/lib/invoices/service'
import { makeSimulatedNode } from '@/lib/lightning/simulated-node/node'
import { systemClock, type Clock } from '@/lib/platform/clock'
import type { Database } from '@/lib/platform/db/database'
import { makeLog, type Log } from '@/lib/platform/log'
import { openTestValues } from '@/lib/sandbox/test-values/open'
import { findPayableUser } from '@/lib/uma/find-payable-user'
import { newNodeSecret } from './keys'
import { makeTestVasp, withParts, type TestVasp } from './vasp'

interface Options {
  readonly clock?: Clock
  readonly log?: Log
  /** The database as the test node reads it, for example with another clock. */
  readonly nodeDb?: Database
}

/** A VASP as `lib/start.ts` builds it with the sandbox tools. */
export async function makeVaspWithTestValues(
  db: Database,
  env: Readonly<Record<string, string>> = {},
  { clock = systemClock, log = makeLog('silent', 'test'), nodeDb = db }: Options = {},
): Promise<TestVasp> {
  const nodeKey = newNodeSecret()
  const settings = { lightningNodeKeyHex: nodeKey, publicOrigin: 'http://localhost:3000' }
  const values = openTestValues({ db: nodeDb, clock, log, settings })
  const { peer, post } = values.testPeer
  const vasp = await makeTestVasp(
    db,
    { LIGHTNING_NODE_KEY: nodeKey, LIGHTNING_PEERS: `${peer.publicKeyHex}@${peer.origin}`, ...env },
    undefined,
    (parts) => makeSimulatedNode({ ...parts, peers: [peer], post, isHeld: values.isHeld }),
  )
  const { simulatedNode } = vasp.app
  if (simulatedNode === undefined) throw new Error('the node is not a simulated node')
  return withParts(vasp, {
    findRecipient: values.withRecipients(findPayableUser),
    createInvoice: values.withMemos((request) => createInvoice(vasp.app, request), simulatedNode),
  })
}
