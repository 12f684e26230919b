import type { UmaPorts } from '../client/types'
import type { Uma } from '../uma'

/** What answering other VASPs takes. */
export interface ServerPorts extends UmaPorts {
  readonly uma: Uma
}

/** One call: who is named in its path, and the request itself. */
export interface Call {
  readonly request: Request
  readonly url: URL
  /** The part of the path behind the route, decoded. */
  readonly rest: string
  /** The part behind that, where there is one. */
  readonly mark: string | undefined
  /** The UMA invoice in a pay address, in lower case. */
  readonly umaInvoice: string | undefined
  /** The address of who asks; empty where it is not known. */
  readonly client: string
}

/** What the socket tells. */
export interface Peer {
  readonly remoteAddress?: string | undefined
}
