import type { Log } from '../../platform/log'
import type { Acceptance, Books, PeerDifference, Totals } from './books'
import type { PeerStatement } from './messages'
import type { WireClient } from './peer-client'
import type { PeerNode, PeerNodes } from './peers'

/** `changed`: the difference is not the accepted one. `unknown`: no such peer. `away`: the peer gave no statement. */
export type Accepted = 'booked' | 'changed' | 'unknown' | 'away'

/**
 * Compares our records with the totals of each peer. A database that was restored from a backup lacks payments that
 * its peers have recorded. A peer with higher totals is not paid until an operator accepts the difference; other peers
 * are still paid.
 */
export interface PeerTotals {
  /**
   * Whether the peer may be paid. Asks the peer until its totals have agreed once since the start of this process. Calls at the
   * same moment share one request.
   * @throws Error when the peer or our database does not answer.
   */
  agreesWith(peer: PeerNode): Promise<boolean>
  /** Compares our records with each peer whose totals have not agreed since the start. Never throws. */
  compareAll(): Promise<void>
  /** The latest differences, one for each peer that is not paid. */
  differences(): readonly PeerDifference[]
  /**
   * Asks the peer again and books exactly the accepted difference against `suspense`. Repeating the call books nothing.
   * @throws Error when our database is not available.
   */
  accept(acceptance: Acceptance): Promise<Accepted>
}

export function makePeerTotals(
  wire: Pick<WireClient, 'statement'>,
  books: Pick<Books, 'totals' | 'accept'>,
  peers: PeerNodes,
  log: Log,
): PeerTotals {
  const agreed = new Set<string>()
  const comparisons = new Map<string, Promise<boolean>>()
  const differences = new Map<string, PeerDifference>()

  async function compare(peer: PeerNode): Promise<boolean> {
    // The peer's totals are read first, so that our records contain payments that complete meanwhile.
    const theirs = await wire.statement(peer)
    const ours = await books.totals(peer.publicKeyHex)
    const difference = differenceOf(peer.publicKeyHex, theirs, ours)
    if (difference === undefined) {
      differences.delete(peer.publicKeyHex)
      // Sends in flight are not counted here, because they may still fail.
      if (theirs.received_msats <= ours.sentMsats) agreed.add(peer.publicKeyHex)
      return true
    }
    differences.set(peer.publicKeyHex, difference)
    const { sentMsats, receivedMsats } = difference
    const amounts = { sentMsats: String(sentMsats), receivedMsats: String(receivedMsats) }
    log.error({ peer: peer.publicKeyHex, ...amounts }, 'a peer is not paid: its totals exceed our records')
    return false
  }

  function agreesWith(peer: PeerNode): Promise<boolean> {
    const { publicKeyHex } = peer
    if (agreed.has(publicKeyHex)) return Promise.resolve(true)
    const comparison = comparisons.get(publicKeyHex) ?? compare(peer).finally(() => comparisons.delete(publicKeyHex))
    comparisons.set(publicKeyHex, comparison)
    return comparison
  }

  return {
    agreesWith,
    async compareAll() {
      await Promise.all([...peers.values()].map((peer) => agreesWith(peer).catch(() => false)))
    },
    differences: () => [...differences.values()],
    async accept(acceptance) {
      const peer = peers.get(acceptance.peer)
      if (peer === undefined) return 'unknown'
      const theirs = await wire.statement(peer).catch(() => undefined)
      if (theirs === undefined) return 'away'
      const booked = isAccepted(acceptance, theirs, await books.totals(acceptance.peer))
        ? await books.accept(acceptance, theirs)
        : false
      await agreesWith(peer).catch(() => false)
      return booked ? 'booked' : 'changed'
    },
  }
}

/** Undefined when the peer's totals do not exceed our records. If they are lower, the peer finds the difference and stops paying us. */
function differenceOf(peer: string, theirs: PeerStatement, ours: Totals): PeerDifference | undefined {
  const sentMsats = atLeastZero(theirs.received_msats - ours.sentMsats - ours.inFlightMsats)
  const receivedMsats = atLeastZero(theirs.sent_msats - ours.receivedMsats)
  return sentMsats + receivedMsats === 0n ? undefined : { peer, sentMsats, receivedMsats }
}

/** The database compares again in the transaction that books the difference. This check keeps out numbers that the database cannot store. */
function isAccepted(accepted: PeerDifference, theirs: PeerStatement, ours: Totals): boolean {
  const found = differenceOf(accepted.peer, theirs, ours)
  return found?.sentMsats === accepted.sentMsats && found.receivedMsats === accepted.receivedMsats
}

function atLeastZero(msats: bigint): bigint {
  return msats > 0n ? msats : 0n
}

const COMPARE_EVERY_MS = 60_000

/** Compares now and every minute while the process runs, so that a difference after a restore is reported at once. */
export function scheduleTotalsCheck(totals: Pick<PeerTotals, 'compareAll'>): void {
  void totals.compareAll()
  setInterval(() => void totals.compareAll(), COMPARE_EVERY_MS).unref()
}
