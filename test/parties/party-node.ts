import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { decodeInvoice, encodeInvoice } from '@/lib/lightning/bolt11'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { isSignedBy, makeNodeKey, readPeerKey } from '@/lib/lightning/simulated-node/keys'
import { PATHS, PayMessage, PeerAnswer, PeerStatement } from '@/lib/lightning/simulated-node/messages'
import { answerText, HEADERS, requestText } from '@/lib/lightning/simulated-node/signature'
import { signedRequest } from '../lightning/sandbox-nodes'
import { newNodeSecret } from '../vasp/keys'

const NETWORK = 'regtest'
const EXPIRY_SECONDS = 600

/**
 * The Lightning node of a foreign VASP: a peer of the product's simulated node, without a ledger. The VASP asks it for
 * invoices (`POST /invoice`) and payments (`POST /pay`).
 */
export interface PartyNode {
  readonly origin: string
  readonly publicKeyHex: string
  /** Its two totals with the product's node, and the product's own, in msats. Each pair must be equal. */
  totals(): Promise<Record<'received' | 'sent', { readonly here: bigint; readonly there: bigint }>>
  /** Names the product's node, once it runs. */
  meet(publicKeyHex: string, origin: string): void
  stop(): void
}

interface Issued {
  readonly invoice: string
  readonly preimage: string
  readonly amountMsats: bigint
}

export async function startPartyNode(): Promise<PartyNode> {
  const secretHex = newNodeSecret()
  const key = makeNodeKey(secretHex)
  const issued = new Map<string, Issued>()
  const paid = new Set<string>()
  let [receivedMsats, sentMsats] = [0n, 0n]
  let peer = { publicKeyHex: '', origin: '' }

  /** Signs an invoice for metadata, over whose text the VASP's answer has to commit. */
  const newInvoice = ({ amount_msats: amount, metadata }: { amount_msats: number; metadata: string }): Issued => {
    const preimage = randomBytes(32)
    const paymentHash = createHash('sha256').update(preimage).digest('hex')
    const invoice = encodeInvoice({
      nodeSecretHex: secretHex,
      network: NETWORK,
      paymentHash,
      paymentSecretHex: randomBytes(32).toString('hex'),
      amountMsats: BigInt(amount),
      description: undefined,
      descriptionHash: createHash('sha256').update(metadata).digest('hex'),
      createdAtSeconds: Math.floor(Date.now() / 1000),
      expirySeconds: EXPIRY_SECONDS,
    })
    const entry = { invoice, preimage: preimage.toString('hex'), amountMsats: BigInt(amount) }
    issued.set(paymentHash, entry)
    return entry
  }

  const call = async (path: string, message: unknown): Promise<unknown> => {
    const answer = await fetch(signedRequest(secretHex, { path, body: JSON.stringify(message) }, peer.origin))
    if (answer.status !== 200) throw new Error(`the node answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }

  const pay = async (invoice: string): Promise<unknown> => {
    const decoded = decodeInvoice(invoice, NETWORK)
    if (!decoded.ok) throw new Error(decoded.reason)
    const { paymentHash, amountMsats, payee } = decoded.invoice
    if (payee !== peer.publicKeyHex || amountMsats === undefined) throw new Error('no route')
    const body = { payment_hash: paymentHash, attempt: 'once', amount_msats: String(amountMsats) }
    const answer = PeerAnswer.parse(await call(PATHS.pay, { ...body, deadline: Date.now() + 30_000, invoice }))
    if (answer.state !== 'received') throw new Error(`refused: ${answer.failure}`)
    const proof = createHash('sha256').update(Buffer.from(answer.preimage, 'hex')).digest('hex')
    if (proof !== paymentHash) throw new Error('the preimage proves nothing')
    sentMsats += amountMsats
    return { payment_hash: paymentHash, amount_msats: Number(amountMsats) }
  }

  /** The answer to a call of the product's node, whose signature was verified. */
  const receive = (path: string, body: string): unknown => {
    if (path === PATHS.statement) return { received_msats: String(receivedMsats), sent_msats: String(sentMsats) }
    const message = path === PATHS.pay ? PayMessage.parse(JSON.parse(body)) : undefined
    const hash = (JSON.parse(body) as { payment_hash: string }).payment_hash
    const known = issued.get(hash)
    if (known === undefined || (message === undefined && !paid.has(hash)))
      return { state: 'refused', failure: 'unknown' }
    if (!paid.has(hash)) {
      if (message?.invoice !== known.invoice || message.amount_msats !== known.amountMsats)
        return { state: 'refused', failure: 'amount' }
      paid.add(hash)
      receivedMsats += known.amountMsats
    }
    return { state: 'received', preimage: known.preimage }
  }

  const server = createServer((request, response) => {
    void readText(request)
      .then(async (body) => {
        const path = request.url ?? ''
        if (path === '/invoice')
          return [200, JSON.stringify({ invoice: newInvoice(JSON.parse(body)).invoice })] as const
        if (path === '/pay') return [200, JSON.stringify(await pay((JSON.parse(body) as Issued).invoice))] as const
        const signed = { ...fieldsOf(request.headers), path, host: request.headers.host ?? '', body }
        const signature = headerOf(request.headers, HEADERS.signature)
        if (
          signed.payer !== peer.publicKeyHex ||
          !isSignedBy(readPeerKey(peer.publicKeyHex), requestText(signed), signature)
        )
          return [401, ''] as const
        const answer = JSON.stringify(receive(path, body))
        return [200, answer, key.sign(answerText(signed, 200, answer))] as const
      })
      .catch((error: unknown) => [500, String(error)] as const)
      .then(([status, text, signature]) => {
        const headers = { 'Content-Type': 'application/json', ...(signature && { [HEADERS.signature]: signature }) }
        return response.writeHead(status, headers).end(text)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKeyHex: nodePublicKey(secretHex),
    async totals() {
      const theirs = PeerStatement.parse(await call(PATHS.statement, {}))
      return {
        received: { here: receivedMsats, there: theirs.sent_msats },
        sent: { here: sentMsats, there: theirs.received_msats },
      }
    },
    meet: (publicKeyHex, origin) => (peer = { publicKeyHex, origin }),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '')
}

function fieldsOf(headers: IncomingHttpHeaders): { payer: string; timestamp: string; nonce: string } {
  const { key, timestamp, nonce } = HEADERS
  return { payer: headerOf(headers, key), timestamp: headerOf(headers, timestamp), nonce: headerOf(headers, nonce) }
}
