import type { Books } from './books'
import type { Peer } from './peers'
import type { WireClient } from './wire-client'

/**
 * Compares our books with a peer's, in msats, and says what does not agree. A database that was put back from a backup has
 * forgotten what was sent and received since: the peer has not. Ours are read after the peer's, so that payments on their
 * way at this moment are no disagreement; while there are some, what agrees today may not when they have ended.
 * @throws Error when the peer does not answer.
 */
export async function compareBooks(
  wire: WireClient,
  books: Books,
  peer: Peer,
): Promise<'agree' | 'agree so far' | { readonly disagreement: string }> {
  const theirs = await wire.statement(peer)
  const { sentMsats, inFlightMsats, receivedMsats } = await books.totals(peer.publicKeyHex)
  const name = `${peer.publicKeyHex.slice(0, 12)}… at ${peer.origin}`
  const known = sentMsats + inFlightMsats
  if (theirs.received_msats > known)
    return {
      disagreement: `the node ${name} has received ${theirs.received_msats} msats from us, our books know of ${known}`,
    }
  if (theirs.sent_msats > receivedMsats)
    return {
      disagreement: `the node ${name} has sent us ${theirs.sent_msats} msats, our books know of ${receivedMsats}`,
    }
  return theirs.received_msats <= sentMsats ? 'agree' : 'agree so far'
}
