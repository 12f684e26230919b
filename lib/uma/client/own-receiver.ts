import { addressOf } from 'uma-auth-vasp'
import { buildFixedRateInvoice, type FixedRateInvoice } from '../../invoices/fixed-rate'
import type { RateSnapshot } from '../../ledger/rate-snapshot'
import { decodeInvoice } from '../../lightning/bolt11'
import { multiplierOf } from '../../money/currencies'
import { MAX_PAYMENT_MSATS } from '../../money/limits'
import { badInput, VaspError } from '../../platform/errors'
import type { Address } from '../address'
import { currenciesOf, minReceivableMsats } from '../find-payable-user'
import { isComment, MAX_COMMENT_LENGTH } from '../messages/comment'
import { saveRequestedInvoice } from '../pay-requests'
import type { PaidWallet, PayableUser } from '../payable-user'
import type { UmaPorts } from '../types'
import type { InvoiceOffer, InvoiceRequest, Receiver } from './types'

/** Internal payments have no receive fee. */
const NO_FEE = 0

/** Looks up a user of this VASP like a user of another VASP, but without a request. */
export async function lookUpOwn(ports: UmaPorts, address: Address, rates: RateSnapshot): Promise<Receiver> {
  const user = await ports.findRecipient(ports.db, address.username)
  if (user === 'suspended')
    throw badInput(`${address.text} cannot receive payments right now. Try again later, or ask the receiver.`)
  if (user === 'unknown') throw noSuchReceiver(address)
  const { wallets } = user
  return {
    address,
    protocol: 'own',
    rates,
    currencies: currenciesOf(wallets, NO_FEE, rates.rateOf),
    minMsats: minReceivableMsats(wallets, NO_FEE, rates.rateOf),
    maxMsats: MAX_PAYMENT_MSATS,
    commentLength: MAX_COMMENT_LENGTH,
    requestInvoice: (request) => createOffer(ports, address, { user, rates }, request),
  }
}

async function createOffer(
  ports: UmaPorts,
  address: Address,
  { user, rates }: { readonly user: PayableUser; readonly rates: RateSnapshot },
  request: InvoiceRequest,
): Promise<InvoiceOffer> {
  const { currency, lock, comment } = request
  const wallet = user.wallets.find(({ code }) => code === currency.code)
  if (wallet === undefined) throw badInput(`${address.text} does not accept ${currency.code}.`)
  if (comment !== undefined && !isComment(comment))
    throw badInput(`The comment is longer than ${MAX_COMMENT_LENGTH} characters, or it contains invalid characters.`)
  const { node = ports.node, maxExpirySeconds = request.expirySeconds } = user
  const expirySeconds = Math.min(request.expirySeconds, maxExpirySeconds)
  const terms = { wallet, lock, description: comment, expirySeconds, rates }
  const made = await buildFixedRateInvoice({ node }, terms)
  if (user.node !== undefined) return localOffer(ports, made, { wallet, rates })
  const payerAddress = addressOf(request.username, ports.settings.vaspDomain)
  await saveRequestedInvoice(ports.db, {
    username: user.username,
    walletId: wallet.walletId,
    made,
    description: comment,
    request: { protocol: 'own', payerAddress, comment },
  })
  return localOffer(ports, made, { wallet, rates })
}

/** Turns an invoice of a user of this VASP into an offer, which has no fee and no callback. */
export function localOffer(
  { node: { identity } }: Pick<UmaPorts, 'node'>,
  { invoice, amountMsats, receivingUnits }: FixedRateInvoice,
  { wallet: { code }, rates }: { readonly wallet: PaidWallet; readonly rates: RateSnapshot },
): InvoiceOffer {
  const decoded = decodeInvoice(invoice, identity.network)
  if (!decoded.ok) throw new Error(`our own invoice cannot be read: ${decoded.reason}`)
  return {
    invoice: decoded.invoice,
    amountMsats,
    receivingUnits,
    feeMsats: 0n,
    msatsPerUnit: multiplierOf(code, rates.rateOf),
    remoteCallback: null,
  }
}

/** The error for a receiver that this VASP or another VASP does not have. */
export function noSuchReceiver({ text }: Pick<Address, 'text'>): VaspError {
  return new VaspError(404, 'NOT_FOUND', `There is no user with the address ${text}.`)
}
