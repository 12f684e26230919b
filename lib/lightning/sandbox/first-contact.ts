import type { Books } from './books'
import type { Peer } from './peers'
import type { WireClient } from './wire-client'

/** Of a peer's history, which is asked for the newest first: what was forgotten is what came last. */
const MOST_PAGES = 1_000
/** With so many of a peer waiting, no more are written down until they are accepted; of each direction no more in one go. */
const MOST_IN_REVIEW = 500

/**
 * Compares our books with a peer's, in msats, and says what does not agree. A database that was put back from a backup has
 * forgotten what was sent and received since: the peer has not, and what it knows more of is written down for a person. Ours
 * are read after the peer's, so that payments on their way at this moment are no disagreement; while there are some, what agrees
 * today may not when they have ended. So many wait for a person at once, so that a peer that makes up more each time fills no
 * table.
 * @throws Error when the peer does not answer.
 */
export async function compareBooks(
  wire: WireClient,
  books: Books,
  peer: Peer,
): Promise<'agree' | 'agree so far' | { readonly disagreement: string }> {
  const theirs = await wire.statement(peer)
  const { sentMsats, inFlightMsats, receivedMsats, inReview } = await books.totals(peer.publicKeyHex)
  const name = `${peer.publicKeyHex.slice(0, 12)}… at ${peer.origin}`
  const known = sentMsats + inFlightMsats
  const differences: string[] = []
  if (theirs.received_msats > known) {
    if (inReview < MOST_IN_REVIEW) await noteForgotten(wire, books, peer, 'received', theirs.received_msats - known)
    differences.push(`the node ${name} has received ${theirs.received_msats} msats from us, our books know of ${known}`)
  }
  if (theirs.sent_msats > receivedMsats) {
    if (inReview < MOST_IN_REVIEW) await noteForgotten(wire, books, peer, 'sent', theirs.sent_msats - receivedMsats)
    differences.push(`the node ${name} has sent us ${theirs.sent_msats} msats, our books know of ${receivedMsats}`)
  }
  if (differences.length > 0) return { disagreement: differences.join('; ') }
  if (inReview > 0) return { disagreement: `what the node ${name} has told waits for a person` }
  return theirs.received_msats <= sentMsats ? 'agree' : 'agree so far'
}

/** Writes down which payments make up the difference, as far as the peer's own list of them tells. */
async function noteForgotten(
  wire: WireClient,
  books: Books,
  peer: Peer,
  side: 'received' | 'sent',
  differenceMsats: bigint,
): Promise<void> {
  let [found, noted] = [0n, 0]
  let before: string | undefined
  for (let page = 0; page < MOST_PAGES && found < differenceMsats && noted < MOST_IN_REVIEW; page++) {
    const { payments, next } = await wire.history(peer, side, before)
    const missing = await books.noteUnbooked(peer.publicKeyHex, side === 'received' ? 'sent' : 'received', payments)
    found += missing.msats
    noted += missing.count
    if (next === null) return
    before = next
  }
}
