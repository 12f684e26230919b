import { randomBytes } from 'node:crypto'
import type { WalletAccount } from '../ledger/accounts'
import type { TlvRecord } from '../lightning/node'
import { hashOfPreimage } from '../lightning/preimage'
import type { PaymentPorts } from './methods/method'
import { textIn } from './receive'
import { pay } from './service'
import type { Paid, PendingPayment } from './types'

export interface KeysendRequest {
  readonly username: string
  readonly connectionId: string | null
  readonly wallets: readonly WalletAccount[]
  readonly amountMsats: bigint
  /** Public key of the receiving node, hex. */
  readonly destination: string
  /** 64 hex digits; generated here when the request has none. */
  readonly preimage: string | undefined
  readonly records: readonly TlvRecord[]
  /** The request's `Idempotency-Key`: the same key and connection identify the same payment. */
  readonly idempotencyKey: string | null
}

/**
 * Pays a node without an invoice (bLIP-3). If this is the VASP's own node, the user named by record 696969 is credited immediately.
 * @throws VaspError as `pay` does, and 400 OTHER when the hash or the key was used for a different payment.
 */
export async function payKeysend(ports: PaymentPorts, request: KeysendRequest): Promise<Paid | PendingPayment> {
  const { username, connectionId, idempotencyKey, wallets, amountMsats, destination, records } = request
  const preimage = request.preimage ?? randomBytes(32).toString('hex')
  return pay(ports, {
    username,
    connectionId,
    idempotencyKey,
    wallets,
    paymentHash: hashOfPreimage(preimage),
    hashIsGiven: request.preimage !== undefined,
    invoice: null,
    amountMsats,
    payee: destination,
    description: textIn(records),
    descriptionHash: null,
    expiresAtSeconds: null,
    keysendPreimage: preimage,
    metadata: { destination, tlv_records: records },
  })
}
