import type { KeyObject } from 'node:crypto'
import type { EventRecorder } from '../events/recorder'
import type { Rates } from '../ledger/rate-snapshot'
import type { LightningNode } from '../lightning/node'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { Ids } from '../platform/ids'
import type { Log } from '../platform/log'
import type { UmaFetch } from './message-events'
import type { FindRecipient } from './payable-user'

/** The protocol of the receiver's VASP; `own` is this VASP, in process. */
export type Protocol = 'own' | 'uma-1' | 'uma-0' | 'lnurl'

/** A currency that a receiver accepts, as the receiver's VASP names it. This VASP may not know the currency. */
export interface ReceiverCurrency {
  readonly code: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Millisatoshis per smallest unit: the protocol's floating-point number, passed on and never used for money. */
  readonly msatsPerUnit: number
  /** Smallest units. */
  readonly min: bigint
  readonly max: bigint
}

/** A secp256k1 private key, in the formats that callers need. */
export interface UmaKey {
  readonly secret: Uint8Array
  /** 65 bytes, uncompressed, hex: 04, then both coordinates. */
  readonly publicKeyHex: string
  readonly keyObject: KeyObject
}

/** The key that signs this VASP's messages, and the key that decrypts data meant only for this VASP (UMAD-02). */
export interface UmaKeys {
  readonly signing: UmaKey
  readonly encryption: UmaKey
}

/** The certificates of this VASP's keys, DER in hex. Each list begins with the certificate of the key itself. */
export interface Certificates {
  readonly signing: readonly string[]
  readonly encryption: readonly string[]
}

/** The public keys of another VASP: 65 bytes each, uncompressed, hex. */
export interface PublicKeys {
  readonly signing: string
  readonly encryption: string
}

/** Public keys of remote VASPs (UMAD-02), cached in memory and in the database. */
export interface RemoteKeys {
  /**
   * The keys of a VASP, from the cache while they are valid.
   * @throws UmaFault COUNTERPARTY_PUBKEY_FETCH_ERROR when they cannot be fetched, or a code that says what is wrong
   * with them.
   */
  get(domain: string, direction: Direction): Promise<CachedKeys>
  /**
   * The keys after a signature did not verify: newer keys that another instance has stored, or else keys that are
   * fetched again. Nothing is fetched, and the result is undefined, if the stored keys are less than 10 s old or absent.
   */
  refresh(domain: string, direction: Direction): Promise<PublicKeys | undefined>
}

/** What needs the keys: a request that this VASP sends, or a message that claims to come from the domain. */
export type Direction = 'outgoing' | 'incoming'

export interface CachedKeys extends PublicKeys {
  readonly fetchedAt: Date
  readonly expiresAt: Date
}

/** The parts that a process needs to exchange messages with other VASPs. */
export interface Uma {
  readonly keys: UmaKeys
  readonly certificates: Certificates
  /** Fetches every URL that another party chose. */
  readonly fetch: UmaFetch
  readonly remoteKeys: RemoteKeys
}

/** What the requests to other VASPs and the answers to them need of the process. */
export interface UmaPorts {
  readonly events: Pick<EventRecorder, 'record'>
  readonly settings: Settings
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly node: LightningNode
  readonly rates: Rates
  readonly uma: Uma | undefined
  readonly findRecipient: FindRecipient
}
