import { VaspError, badInput } from '../../platform/errors'
import { buildFixedRateInvoice, type FixedRateInvoice } from '../../invoices/fixed-rate'
import { decodeInvoice } from '../../lightning/bolt11'
import { addressOf } from 'uma-auth-vasp'
import type { Address } from '../messages/address'
import { LONGEST_COMMENT, isComment } from '../messages/comment'
import type { Ask, Offer, Receiver, UmaPorts } from './types'
import { keepAskedInvoice } from '../server/pay-requests'
import { MOST_PAYMENT_MSATS } from '../../money/limits'
import { multiplierOf } from '../../money/currencies'
import { currenciesOf, findOwnPerson, leastMsats, type OwnPerson, type PaidWallet } from '../messages/payable-users'

/** Of what moves inside nothing is kept. */
const NO_FEE = 0

/** Somebody of this VASP: the same road as to any other, without a request in between. */
export async function lookUpOwn(ports: UmaPorts, address: Address): Promise<Receiver> {
  const person = await findOwnPerson(ports.db, address.username)
  if (typeof person === 'string') throw noSuchReceiver(address)
  const { wallets } = person
  return {
    address,
    protocol: 'own',
    currencies: currenciesOf(wallets, NO_FEE),
    minMsats: leastMsats(wallets, NO_FEE),
    maxMsats: MOST_PAYMENT_MSATS,
    commentLength: LONGEST_COMMENT,
    ask: (request) => ask(ports, address, person, request),
  }
}

async function ask(ports: UmaPorts, address: Address, person: OwnPerson, request: Ask): Promise<Offer> {
  const { currency, lock, comment, expirySeconds } = request
  const wallet = person.wallets.find(({ code }) => code === currency.code)
  if (wallet === undefined) throw badInput(`${address.text} does not take ${currency.code}.`)
  if (comment !== undefined && !isComment(comment))
    throw badInput(`The comment is longer than ${LONGEST_COMMENT} characters, or cannot be written.`)
  const made = await buildFixedRateInvoice(ports, { wallet, lock, description: comment, expirySeconds })
  const payerAddress = addressOf(request.username, ports.settings.vaspDomain)
  await keepAskedInvoice(ports.db, {
    username: person.username,
    walletId: wallet.walletId,
    made,
    description: comment,
    request: { protocol: 'own', receiverAddress: address.text, payerAddress, comment },
  })
  return ownOffer(ports, made, wallet, address, person)
}

/** An invoice of our own as an offer: what moves inside has no fee, and nobody else is told what settled it. */
export function ownOffer(
  { node: { identity } }: Pick<UmaPorts, 'node'>,
  { invoice, amountMsats, receivingUnits }: FixedRateInvoice,
  { code }: PaidWallet,
  { text: identifier }: Address,
  { displayName: name }: OwnPerson,
): Offer {
  const decoded = decodeInvoice(invoice, identity.network)
  if (!decoded.ok) throw new Error(`our own invoice cannot be read: ${decoded.reason}`)
  return {
    invoice: decoded.invoice,
    amountMsats,
    receivingUnits,
    feeMsats: 0n,
    msatsPerUnit: multiplierOf(code),
    payeeData: { identifier, name },
    peerCallback: null,
  }
}

/** The same words for a receiver whom we or another VASP does not know. */
export function noSuchReceiver({ text }: Pick<Address, 'text'>): VaspError {
  return new VaspError(404, 'NOT_FOUND', `There is nobody with the address ${text}.`)
}
