import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { makeLndClient } from '@/lib/lightning/lnd/client'
import { makeLndNode } from '@/lib/lightning/lnd/node'
import { makeSends } from '@/lib/lightning/lnd/sends'
import type { LightningNode } from '@/lib/lightning/node'
import type { Database } from '@/lib/platform/db/database'
import { makeLog } from '@/lib/platform/log'
import type { NodeUnderTest } from '../lightning/node-under-test'
import { startLossyProxy, type LossyProxy } from './lossy-proxy'
import { makeRemoteNode, type RemoteNode } from './remote-node'
import { startTestNetwork, type TestNetwork } from './test-network'

/** A payment takes a fraction of it, unless it is held. */
const PATIENCE_MS = 3_000

/** The adapter on a real LND, whose answers may be lost, and a node that it pays. */
export interface RealWorld extends NodeUnderTest {
  readonly network: TestNetwork
  readonly proxy: LossyProxy
  readonly remote: RemoteNode
  stop(): Promise<void>
}

export async function makeRealWorld(db: Database): Promise<RealWorld> {
  const network = await startTestNetwork()
  const { own } = network
  const proxy = await startLossyProxy(own)
  const remote = makeRemoteNode(network.remote)
  const access = { macaroon: readFileSync(own.macaroonFile, 'hex'), ca: readFileSync(own.certFile, 'utf8') }
  const open = (): LightningNode =>
    makeLndNode({
      lnd: makeLndClient({ url: proxy.url, ...access }),
      identity: { publicKeyHex: own.publicKeyHex, network: 'simnet', minimumMsats: 1_000n },
      sends: makeSends(db),
      creditPlanner: { planCredit: () => Promise.resolve({ failure: 'unknown' }) },
      log: makeLog('silent', 'test'),
      patienceMs: PATIENCE_MS,
      retryMs: 50,
    })
  let node = open()

  /** A payment needs a channel that takes its amount. */
  async function takeAmounts(fromMsats: bigint): Promise<void> {
    await own.call('/v1/chanpolicy', {
      global: true,
      base_fee_msat: '1000',
      fee_rate_ppm: 1,
      time_lock_delta: 80,
      min_htlc_msat: String(fromMsats),
      min_htlc_msat_specified: true,
    })
  }
  let refuses = false

  return {
    network,
    proxy,
    remote,
    sender: () => node,
    receiver: () => node,
    remoteKey: network.remote.publicKeyHex,
    invoice: (amountMsats, expirySeconds) => remote.invoice(amountMsats, expirySeconds),
    records: [],
    async journey(kind) {
      proxy.lostAnswers = kind === 'loses its answer' || kind === 'fails without an answer' ? 1 : 0
      remote.holds = kind === 'is held'
      const refusesNow = kind === 'is refused' || kind === 'fails without an answer'
      if (refusesNow === refuses) return
      refuses = refusesNow
      await takeAmounts(refusesNow ? 1_000_000_000n : 1_000n)
    },
    isHeld: (paymentHash) => remote.isHeld(paymentHash),
    release: (paymentHash) => remote.release(paymentHash),
    arrivals: (paymentHash) => remote.arrivals(paymentHash),
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
    payFromOutside: ({ invoice }) => remote.pay(invoice),
    // LND learns of it only through `cancelInvoice`.
    settleInside: async () => {},
    async stop() {
      remote.close()
      await node.close()
      await proxy.close()
      await network.stop()
    },
  }
}
