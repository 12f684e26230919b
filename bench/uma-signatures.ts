import { randomBytes } from 'node:crypto'
import { getPostTransactionCallback, PubKeyResponse, verifyPostTransactionCallbackSignature } from '@uma-sdk/core'
import { decodeInvoice, encodeInvoice } from '@/lib/lightning/bolt11'
import { isSignedBy, makeNodeKey, readPeerKey } from '@/lib/lightning/simulated-node/keys'
import { loadUmaKeys } from '@/lib/uma/keys/keys'
import { NO_NONCES } from '@/lib/uma/keys/verify-message'
import { newNodeSecret } from '../test/vasp/keys'

/** One kind of signature: how many a payment needs, on both sides together, and the CPU time of one. */
export interface SignatureCost {
  readonly what: string
  readonly perPayment: number
  readonly ms: number
}

/**
 * The signatures of one payment to an address at another VASP, on both sides. The token of a connection is verified once and
 * cached by its hash, so it is not counted. Encryption is not counted either.
 */
const PER_PAYMENT = {
  // The lookup and its answer, the pay request and its answer, and the message of each side after the settlement.
  umaSigned: 6,
  umaVerified: 6,
  invoiceSigned: 1,
  // Once when the offer is checked and once when the payment is sent: reading an invoice recovers the key that signed it.
  invoiceRead: 2,
  // The payment to the other node, and its answer.
  wireSigned: 2,
  wireVerified: 2,
} as const

/** Signs and verifies each kind repeatedly, one after another, with the functions that the server uses. */
export async function measureSignatures(durationMs: number): Promise<SignatureCost[]> {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('there are no keys')
  const { signing, encryption } = keys
  const shown = new PubKeyResponse(undefined, undefined, signing.publicKeyHex, encryption.publicKeyHex)
  const signUma = () =>
    getPostTransactionCallback({ utxos: [], vaspDomain: 'bank.example', signingPrivateKey: signing.secret })
  const message = await signUma()
  const nodeSecretHex = newNodeSecret()
  const invoice = {
    nodeSecretHex,
    paymentHash: randomBytes(32).toString('hex'),
    network: 'regtest' as const,
    paymentSecretHex: randomBytes(32).toString('hex'),
    amountMsats: 1_000_000n,
    description: undefined,
    descriptionHash: randomBytes(32).toString('hex'),
    createdAtSeconds: Math.floor(Date.now() / 1000),
    expirySeconds: 600,
  }
  const written = encodeInvoice(invoice)
  const node = makeNodeKey(nodeSecretHex)
  const peer = readPeerKey(node.publicKeyHex)
  const text = 'x'.repeat(300)
  const signature = node.sign(text)
  const each = durationMs / Object.keys(PER_PAYMENT).length
  return [
    await cost('UMA message signed', PER_PAYMENT.umaSigned, each, signUma),
    await cost('UMA message verified', PER_PAYMENT.umaVerified, each, () =>
      verifyPostTransactionCallbackSignature(message, shown, NO_NONCES),
    ),
    await cost('BOLT-11 invoice signed', PER_PAYMENT.invoiceSigned, each, () => encodeInvoice(invoice)),
    await cost('BOLT-11 invoice read, its key recovered', PER_PAYMENT.invoiceRead, each, () =>
      decodeInvoice(written, 'regtest'),
    ),
    await cost('Call between nodes signed', PER_PAYMENT.wireSigned, each, () => node.sign(text)),
    await cost('Call between nodes verified', PER_PAYMENT.wireVerified, each, () => isSignedBy(peer, text, signature)),
  ]
}

async function cost(what: string, perPayment: number, durationMs: number, work: () => unknown): Promise<SignatureCost> {
  for (let warm = 0; warm < 20; warm++) await work()
  const startedAt = performance.now()
  let done = 0
  for (; performance.now() - startedAt < durationMs; done++) await work()
  return { what, perPayment, ms: (performance.now() - startedAt) / done }
}

export function sumMs(costs: readonly SignatureCost[]): number {
  return costs.reduce((sum, { perPayment, ms }) => sum + perPayment * ms, 0)
}
