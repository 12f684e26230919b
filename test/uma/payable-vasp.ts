import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/platform/db/database'
import { quoteAddress } from '@/lib/quotes/create'
import type { Quote } from '@/lib/quotes/types'
import { parseAddress } from '@/lib/uma/address'
import { lookUp } from '@/lib/uma/client/look-up'
import type { InvoiceOffer, InvoiceRequest } from '@/lib/uma/client/types'
import { newNodeSecret } from '../vasp/keys'
import { newUser, walletOf } from '../vasp/money'
import { makeTestVasp, type TestVasp } from '../vasp/vasp'
import { json, lookUpAnswer, payAnswer, startOtherVasp, type OtherVasp } from './other-vasp'

/** A VASP, its user who pays, and another VASP that answers for the receiver. */
export interface PayableVasp {
  readonly vasp: TestVasp
  readonly payer: string
  readonly other: OtherVasp
  /** The UMA address of the receiver. */
  readonly receiver: string
}

/** `nodeSecret`: the same for all VASPs on one database. */
export async function startPayableVasp(db: Database, nodeSecret = newNodeSecret()): Promise<PayableVasp> {
  const other = await startOtherVasp()
  const receiver = `$bob@${other.domain}`
  const vasp = await makeTestVasp(db, {
    LIGHTNING_NODE_KEY: nodeSecret,
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
    UMA_LOCAL_PEERS: other.domain,
  })
  other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver))
  other.answers.pay = (_request, response, body) => json(response, payAnswer(other, receiver, body))
  return { vasp, other, receiver, payer: await newUser(vasp, { USD: 100_000n }) }
}

/** Quotes 100 units of the receiver's first currency, whatever node the invoice pays. */
export async function requestQuote({ vasp: { app }, payer, receiver }: Omit<PayableVasp, 'other'>): Promise<Quote> {
  const wallet = await walletOf(app.db, payer, 'USD')
  const node = { ...app.node, mayReach: () => Promise.resolve({ feeMsats: 0n }) }
  const asked = { username: payer, connectionId: null, wallet, lockedSide: 'receiving', lockedAmount: 100n } as const
  return (await quoteAddress({ ...app, node }, parseAddress(receiver), asked)).quote
}

/** Looks the address up and requests an invoice in its first currency. */
export async function requestOffer(
  vasp: TestVasp,
  username: string,
  address: string,
  lock: InvoiceRequest['lock'] = { side: 'receiving', units: 100n },
): Promise<InvoiceOffer> {
  const found = await lookUp(vasp.app, username, parseAddress(address))
  const [currency] = found.currencies
  if (currency === undefined) throw new Error('no currency')
  return found.requestInvoice({ username, currency, lock, expirySeconds: 600, callbackId: randomUUID() })
}
