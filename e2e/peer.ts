import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeInvoice } from '../lib/lightning/bolt11'
import { makeNodeKey } from '../lib/lightning/sandbox/keys'
import { PATHS } from '../lib/lightning/sandbox/messages'
import { HEADERS, answerText } from '../lib/lightning/sandbox/signature'
import { newNodeSecret } from '../test/keys'

/** Another node that a VASP pays: it takes every payment, and answers when the test wants. It gives nothing to anybody. */
export interface Peer {
  /** As `LIGHTNING_PEERS` has it. */
  readonly setting: string
  invoice(amountMsats: bigint): string
  /** Calls that asked it to take a payment. */
  readonly pays: () => number
  /** From now on it hears calls and says nothing to them. */
  hush(): void
  /** Calls that wait for a word: their callers have not given them up. */
  readonly waiting: () => number
  /** Answers the oldest of these. */
  answerSome(count: number): void
  /** From now on it answers at once; calls that wait get no word any more. */
  speak(): void
  stop(): void
}

export async function startPeer(): Promise<Peer> {
  const secretHex = newNodeSecret()
  const key = makeNodeKey(secretHex)
  const preimages = new Map<string, string>()
  const waiting = new Set<() => void>()
  let silent = false
  let pays = 0
  const server = createServer((request, response) => void answer(request, response)).listen(0, 'localhost')
  await once(server, 'listening')
  const host = `localhost:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const path = request.url ?? ''
    if (path === PATHS.pay) pays += 1
    if (silent)
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
        response.once('close', () => waiting.delete(resolve))
      })
    const header = (name: string): string => String(request.headers[name])
    const said = JSON.stringify(wordOn(path, body))
    const signed = {
      payer: header(HEADERS.key),
      path,
      host,
      timestamp: header(HEADERS.timestamp),
      nonce: header(HEADERS.nonce),
      body,
    }
    response.writeHead(200, { [HEADERS.signature]: key.sign(answerText(signed, 200, said)) })
    response.end(said)
  }

  function wordOn(path: string, body: string): unknown {
    if (path === PATHS.statement) return { received_msats: '0', sent_msats: '0' }
    const { payment_hash: hash } = JSON.parse(body) as { payment_hash: string }
    return { state: 'received', preimage: preimages.get(hash) }
  }

  return {
    setting: `${key.publicKeyHex}@http://${host}`,
    invoice(amountMsats) {
      const preimage = randomBytes(32)
      const paymentHash = createHash('sha256').update(preimage).digest('hex')
      preimages.set(paymentHash, preimage.toString('hex'))
      return encodeInvoice({
        network: 'regtest',
        nodeSecretHex: secretHex,
        paymentHash,
        paymentSecretHex: randomBytes(32).toString('hex'),
        amountMsats,
        description: 'a thing from afar',
        descriptionHash: undefined,
        createdAtSeconds: Math.floor(Date.now() / 1000),
        expirySeconds: 3_600,
      })
    },
    pays: () => pays,
    waiting: () => waiting.size,
    hush: () => void (silent = true),
    answerSome(count) {
      for (const resolve of [...waiting].slice(0, count)) {
        waiting.delete(resolve)
        resolve()
      }
    },
    speak: () => void (silent = false),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
