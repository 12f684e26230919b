import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeSecondSender, newSenderKeys, nowSeconds, type SecondSender, type SenderKeys } from './sender'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Another VASP, as a server of its own that says whatever a test lets it say. Its keys are shown unless that is replaced. */
export interface OtherVasp {
  readonly domain: string
  readonly sender: SecondSender
  keys: SenderKeys
  /** What it says to a look-up, to a pay request, and to anything else, where that is replaced. */
  readonly answers: { lookUp: Answer; pay: Answer; keys: Answer; other: Answer }
  /** Paths in the order in which they were asked, with their bodies. */
  readonly asked: { readonly path: string; readonly body: string }[]
  stop(): void
}

export const json = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

export async function startOtherVasp(): Promise<OtherVasp> {
  const asked: OtherVasp['asked'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const body = Buffer.concat(chunks).toString()
      asked.push({ path, body })
      const { lookUp, pay, keys, other } = vasp.answers
      if (path === '/.well-known/lnurlpubkey') return keys(request, response, body)
      if (path.startsWith('/.well-known/lnurlp/')) return lookUp(request, response, body)
      return path.startsWith('/pay') ? pay(request, response, body) : other(request, response, body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const domain = `localhost:${(server.address() as AddressInfo).port}`
  const keys = newSenderKeys()
  const notFound: Answer = (_request, response) => json(response, { status: 'ERROR', reason: 'no' }, 404)
  const vasp: OtherVasp = {
    domain,
    keys,
    sender: makeSecondSender(domain, keys),
    asked,
    answers: {
      lookUp: notFound,
      pay: notFound,
      other: notFound,
      keys: (_request, response) =>
        json(response, {
          signingPubKey: vasp.keys.publicHex,
          encryptionPubKey: vasp.keys.publicHex,
          expirationTimestamp: nowSeconds() + 300,
        }),
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return vasp
}
