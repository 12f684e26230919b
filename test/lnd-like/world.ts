import { randomBytes } from 'node:crypto'
import type { CreditPlanner } from '@/lib/lightning/credit-planner'
import { makeLndNode } from '@/lib/lightning/lnd/node'
import { makeSends, type Sends } from '@/lib/lightning/lnd/sends'
import type { LightningNode } from '@/lib/lightning/node'
import type { Database } from '@/lib/platform/db/database'
import { makeLog } from '@/lib/platform/log'
import type { Journey, NodeUnderTest } from '../lightning/node-under-test'
import { makeFakeLnd, type FakeLnd } from './lnd'

/** LND with its network, and the node on top of it. */
export interface LndWorld extends NodeUnderTest {
  readonly lnd: FakeLnd
  readonly sends: Sends
  journey(kind: Journey): void
  /** Another process, with the same table or a slow view of it. */
  /** Empties the table, as a restored database does. */
  withoutSends(): Promise<Sends>
  open(parts?: { readonly sends?: Sends; readonly creditPlanner?: CreditPlanner }): LightningNode
}

const NOBODY: CreditPlanner = { planCredit: () => Promise.resolve({ failure: 'unknown' }) }

export function makeLndWorld(db: Database): LndWorld {
  const lnd = makeFakeLnd()
  const sends = makeSends(db)
  const log = makeLog('silent', 'test')
  const identity = { publicKeyHex: lnd.publicKeyHex, network: 'regtest', minimumMsats: 1_000n } as const
  const open: LndWorld['open'] = (parts) =>
    makeLndNode({
      lnd,
      identity,
      sends,
      creditPlanner: NOBODY,
      log,
      patienceMs: 1_000,
      retryMs: 5,
      checkMs: 50,
      ...parts,
    })
  let node = open()
  return {
    lnd,
    sends,
    open,
    async withoutSends() {
      await db.query({ name: 'test_no_sends', text: 'delete from lightning_node.lnd_sends' })
      return sends
    },
    sender: () => node,
    receiver: () => node,
    remoteKey: lnd.remoteKey,
    invoice: async (amountMsats, expirySeconds) => lnd.invoice(amountMsats, expirySeconds),
    records: [],
    journey(kind) {
      const isLost = kind === 'loses its answer' || kind === 'fails without an answer'
      lnd.fate = kind === 'loses its answer' ? 'arrives' : kind === 'fails without an answer' ? 'is refused' : kind
      lnd.lostAnswers = isLost ? 1 : 0
    },
    isHeld: (paymentHash) => lnd.isHeld(paymentHash),
    release: async (paymentHash) => lnd.release(paymentHash),
    arrivals: async (paymentHash) => lnd.arrivals(paymentHash),
    async restartSender() {
      await node.close()
      node = open()
    },
    ownInvoice: (amountMsats) =>
      node.signInvoice({
        preimageHex: randomBytes(32).toString('hex'),
        amountMsats,
        expirySeconds: 600,
        purpose: { description: '' },
      }),
    payFromOutside: async ({ paymentHash }, amountMsats) => lnd.payFromOutside(paymentHash, amountMsats),
    // LND learns of it only through `cancelInvoice`.
    settleInside: async () => {},
  }
}
