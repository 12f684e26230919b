import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../platform/clock'
import { encodeInvoice } from '../bolt11'
import type { InvoiceTerms, Network, SignedInvoice } from '../node'
import { hashOfPreimage } from '../preimage'

/** Signs an invoice, with a new payment secret unless one is given. Stores nothing: payments are matched against the caller's table `invoices`. */
export function signInvoice(
  signer: {
    readonly secretHex: string
    readonly network: Network
    readonly clock: Clock
    readonly paymentSecretHex?: string
  },
  { preimageHex, amountMsats, expirySeconds, purpose }: InvoiceTerms,
): SignedInvoice {
  const paymentHash = hashOfPreimage(preimageHex)
  const createdAtSeconds = epochSeconds(signer.clock.now())
  const invoice = encodeInvoice({
    nodeSecretHex: signer.secretHex,
    network: signer.network,
    paymentHash,
    paymentSecretHex: signer.paymentSecretHex ?? randomBytes(32).toString('hex'),
    amountMsats,
    description: undefined,
    descriptionHash: undefined,
    ...purpose,
    createdAtSeconds,
    expirySeconds,
  })
  return { invoice, paymentHash, createdAtSeconds, expiresAtSeconds: createdAtSeconds + expirySeconds }
}
