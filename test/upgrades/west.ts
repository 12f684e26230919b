import { createHash, randomBytes } from 'node:crypto'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { PATHS, type PeerAnswer } from '@/lib/lightning/simulated-node/messages'
import type { Post } from '@/lib/lightning/simulated-node/peer-client'
import { signedAnswer } from '../lightning/sandbox-nodes'
import { newNodeSecret } from '../vasp/keys'

export interface WestInvoice {
  readonly invoice: string
  readonly paymentHash: string
  readonly preimage: string
}

/** A peer of the simulated node that answers from a list: with the answer for the payment hash, or with 503 if there is none. */
export interface West {
  readonly secretHex: string
  readonly publicKeyHex: string
  /** The peer as an entry of `LIGHTNING_PEERS`. */
  readonly peers: string
  /** Carries the calls of the VASP's node. */
  readonly post: Post
  readonly answers: Map<string, PeerAnswer>
  /** The total that it reports as sent to the VASP. */
  sentMsats: bigint
  invoice(amountMsats: bigint): WestInvoice
}

export function makeWest(secretHex = newNodeSecret()): West {
  const publicKeyHex = nodePublicKey(secretHex)
  const answers: West['answers'] = new Map()
  const answerTo = (path: string, body: string): unknown => {
    if (path === PATHS.statement) return { received_msats: '0', sent_msats: String(west.sentMsats) }
    const message = JSON.parse(body) as { payment_hash?: string }
    return answers.get(message.payment_hash ?? '')
  }
  const west: West = {
    secretHex,
    publicKeyHex,
    peers: `${publicKeyHex}@http://west.test`,
    answers,
    sentMsats: 0n,
    async post(url, init) {
      const request = new Request(url, init)
      const answer = answerTo(new URL(url).pathname, await request.clone().text())
      return answer === undefined
        ? new Response(null, { status: 503 })
        : signedAnswer({ payeeSecret: secretHex }, request, JSON.stringify(answer))
    },
    invoice(amountMsats) {
      const preimage = randomBytes(32)
      const paymentHash = createHash('sha256').update(preimage).digest('hex')
      const invoice = encodeInvoice({
        nodeSecretHex: secretHex,
        network: 'regtest',
        paymentHash,
        paymentSecretHex: randomBytes(32).toString('hex'),
        amountMsats,
        description: 'Map of the west',
        descriptionHash: undefined,
        createdAtSeconds: Math.floor(Date.now() / 1000),
        expirySeconds: 3_600,
      })
      return { invoice, paymentHash, preimage: preimage.toString('hex') }
    },
  }
  return west
}
