import type { Books } from './books'
import type { Peer } from './peers'
import type { WireClient } from './wire-client'

/**
 * Compares our books with a peer's, in msats, and says what does not agree. A database that was put back from a backup has
 * forgotten what was sent and received since: the peer has not. Ours are read after the peer's, so that payments on their
 * way at this moment are no disagreement.
 * @throws Error when the peer does not answer.
 */
export async function findDisagreement(wire: WireClient, books: Books, peer: Peer): Promise<string | undefined> {
  const theirs = await wire.statement(peer)
  const ours = await books.totals(peer.publicKeyHex)
  const name = `${peer.publicKeyHex.slice(0, 12)}… at ${peer.origin}`
  if (theirs.received_msats > ours.sentMsats + ours.inFlightMsats)
    return `the node ${name} has received ${theirs.received_msats} msats from us, our books know of ${ours.sentMsats + ours.inFlightMsats}`
  if (theirs.sent_msats > ours.receivedMsats)
    return `the node ${name} has sent us ${theirs.sent_msats} msats, our books know of ${ours.receivedMsats}`
  return undefined
}
