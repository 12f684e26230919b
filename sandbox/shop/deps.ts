import type { RelayLink } from '../nostr/relay-link'
import type { CallLog } from './call-log'
import type { Identity } from './identity'
import type { NwcClient } from './nwc'
import type { OAuthClient } from './oauth'
import type { Store } from './store'

/** What the shop does its work with. */
export interface ShopDeps {
  readonly store: Store
  readonly callLog: CallLog
  readonly oauth: OAuthClient
  readonly nwc: NwcClient
  readonly nowSeconds: () => number
  /** Domain of the VASP that the shop runs in front of. */
  readonly ownDomain: string
  /** The relay of the shop's settings. */
  readonly ownRelay: string
}

/** The same, with what the pages show. */
export interface AppDeps extends ShopDeps {
  /** Whether the relay has confirmed the shop's registration. */
  readonly isRegistered: () => boolean
  readonly identity: Identity
  readonly relay: RelayLink
}
