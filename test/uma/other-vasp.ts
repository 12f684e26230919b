import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeInvoice, type NewInvoice } from '@/lib/lightning/bolt11'
import { newNodeSecret } from '../vasp/keys'
import { makeSecondSender, newSenderKeys, nowSeconds, type SecondSender, type SenderKeys } from './sender'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Another VASP: a server whose answers a test can replace. Its keys are published unless they are replaced. */
export interface OtherVasp {
  readonly domain: string
  readonly sender: SecondSender
  keys: SenderKeys
  /** The replaced answers to a lookup, a pay request, a request for keys and any other request. */
  readonly answers: { lookUp: Answer; pay: Answer; keys: Answer; other: Answer }
  /** Paths in the order of the requests, with their bodies. */
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

/** Dollars at 10,000 msats a cent, and satoshis. */
export const CURRENCIES = [
  {
    code: 'USD',
    name: 'US Dollar',
    symbol: '$',
    multiplier: 10_000,
    decimals: 2,
    convertible: { min: 1, max: 100_000 },
  },
  { code: 'SAT', name: 'Satoshi', symbol: '₿', multiplier: 1_000, decimals: 0, convertible: { min: 1, max: 100_000 } },
]

/** A correct answer to a lookup, with the given replacements. */
export function lookUpAnswer(
  vasp: OtherVasp,
  receiver: string,
  over: Record<string, unknown> = {},
): Record<string, unknown> {
  const { signature, signatureNonce, signatureTimestamp } = vasp.sender.signed(receiver)
  return {
    tag: 'payRequest',
    callback: `http://${vasp.domain}/pay`,
    minSendable: 1_000,
    maxSendable: 1_000_000_000,
    metadata: JSON.stringify([['text/plain', 'Pay']]),
    commentAllowed: 100,
    umaVersion: '1.0',
    compliance: {
      kycStatus: 'VERIFIED',
      isSubjectToTravelRule: false,
      receiverIdentifier: receiver,
      signature,
      signatureNonce,
      signatureTimestamp,
    },
    payerData: { identifier: { mandatory: true }, compliance: { mandatory: true } },
    currencies: CURRENCIES,
    ...over,
  }
}

export interface Deal {
  readonly amountMsats?: bigint
  readonly converted?: Record<string, unknown>
  readonly compliance?: Record<string, unknown>
  readonly invoice?: Partial<NewInvoice>
  /** Replaces the whole invoice. */
  readonly pr?: string
}

/** A correct answer to a pay request in dollars, with the given replacements. */
export function payAnswer(vasp: OtherVasp, receiver: string, body: string, deal: Deal = {}): Record<string, unknown> {
  const request = JSON.parse(body) as { amount: string; payerData: { identifier: string } }
  const [digits = '', code] = request.amount.split('.')
  const units = code === undefined ? Number(digits) / 10_000 : Number(digits)
  const amountMsats = deal.amountMsats ?? (code === undefined ? BigInt(digits) : BigInt(digits) * 10_000n)
  return {
    pr: deal.pr ?? newInvoice({ amountMsats, ...deal.invoice }),
    routes: [],
    converted: {
      amount: Math.floor(units),
      currencyCode: 'USD',
      decimals: 2,
      multiplier: 10_000,
      fee: 0,
      ...deal.converted,
    },
    payeeData: {
      identifier: receiver,
      compliance: {
        utxos: [],
        utxoCallback: `http://${vasp.domain}/told`,
        ...vasp.sender.signed(request.payerData.identifier, receiver),
        ...deal.compliance,
      },
    },
  }
}

/** An invoice of an unknown node. */
export function newInvoice(over: Partial<NewInvoice> = {}): string {
  return encodeInvoice({
    network: 'regtest',
    nodeSecretHex: newNodeSecret(),
    paymentHash: randomBytes(32).toString('hex'),
    paymentSecretHex: randomBytes(32).toString('hex'),
    amountMsats: 10_000n,
    description: '',
    descriptionHash: undefined,
    createdAtSeconds: nowSeconds(),
    expirySeconds: 600,
    ...over,
  })
}
