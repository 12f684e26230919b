import type { RateSnapshot } from '../../ledger/rate-snapshot'
import type { Address } from '../address'
import type { MessageOwner, TravelRule } from '../message-events'
import type { PayMessage } from '../messages/pay-message'
import type { PaidWallet } from '../payable-user'
import type { Uma, UmaPorts } from '../types'

/** The dependencies of the handlers of messages from other VASPs. */
export interface ServerPorts extends Omit<UmaPorts, 'rates'> {
  readonly uma: Uma
  /** Undefined with `UMA_INVOICES=off`. */
  readonly umaInvoices: UmaInvoiceAnswers | undefined
  /** Taken when the message arrived. */
  readonly rates: RateSnapshot
}

/** What UMA invoices and requests for money add to the answers. `lib/uma/invoices` implements it. */
export interface UmaInvoiceAnswers {
  /**
   * Checks a pay request against the UMA invoice that it names. `saveRequestedInvoice` decides whether another payment is
   * allowed.
   * @throws UmaFault for an invoice that is not this user's, has expired, has no payments left, names another payer, or
   * is for another currency or amount; 429 when the payer's registrable domain has requested 100 Lightning invoices for
   * this UMA invoice within ten minutes without paying.
   */
  findClaim(ports: Pick<ServerPorts, 'db'>, request: ClaimRequest): Promise<PayableClaim>
  /** `POST /uma/request`. */
  answerRequest(ports: ServerPorts, call: Call): Promise<unknown>
}

/** A pay request for a UMA invoice. */
export interface ClaimRequest extends Pick<PayMessage, 'amount' | 'isInReceivingCurrency'> {
  readonly uuid: string
  /** The user who is paid, and the wallet of the requested currency. */
  readonly username: string
  readonly wallet: PaidWallet
  /** `domain` is that of the remote VASP. A payer of this VASP has none, and no limit. */
  readonly payer: Pick<Address, 'text'> & Partial<Pick<Address, 'domain'>>
}

/** The UMA invoice that a pay request may pay. */
export interface PayableClaim {
  readonly id: bigint
  readonly secondsLeft: number
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
  /**
   * Sets the owner in the message's event: the user whose payment, quote or invoice the message belongs to. Only this user
   * may read the travel rule information of the message.
   */
  readonly belongsTo: (owner: MessageOwner, travelRule?: TravelRule) => void
}

/** The socket of the request. */
export interface Peer {
  readonly remoteAddress?: string | undefined
}
