import type { RateSnapshot } from '../../ledger/rate-snapshot'
import type { UmaPorts, Uma } from '../types'
import type { MessageOwner } from '../message-events'

/** The dependencies of the handlers of messages from other VASPs. */
export interface ServerPorts extends Omit<UmaPorts, 'rates'> {
  readonly uma: Uma
  /** Taken when the message arrived. */
  readonly rates: RateSnapshot
}

/** One request, with the parts of its path. */
export interface Call {
  readonly request: Request
  readonly url: URL
  /** The first variable part of the path, such as a username, decoded. */
  readonly rest: string
  /** The last part of a pay address that belongs to one VASP. */
  readonly mark: string | undefined
  /** The UMA invoice in a pay address, in lower case. */
  readonly umaInvoice: string | undefined
  /** The client's address. Empty when it is not known. */
  readonly client: string
  /** Sets the owner in the message's event: the user whose payment, quote or invoice the message belongs to. */
  readonly belongsTo: (owner: MessageOwner) => void
}

/** The socket of the request. */
export interface Peer {
  readonly remoteAddress?: string | undefined
}
