import { randomBytes } from 'node:crypto'
import type { LightningNode } from '@/lib/lightning/node'
import type { NodeUnderTest } from '../lightning/node-under-test'
import { makeFakeLnd, type FakeLnd } from './lnd'
import { makeLndNode } from './node'
import { makeSendTable, type SendTable } from './sends'

/** LND with its network, and the node on top of it. */
export interface LndWorld extends NodeUnderTest {
  readonly lnd: FakeLnd
  readonly sends: SendTable
  /** Another process, with the same table or a slow view of it. */
  open(sends?: SendTable): LightningNode
}

export function makeLndWorld(): LndWorld {
  const lnd = makeFakeLnd()
  const sends = makeSendTable()
  const open = (table = sends): LightningNode => makeLndNode({ lnd, sends: table })
  let node = open()
  return {
    lnd,
    sends,
    open,
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
