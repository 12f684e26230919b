import { addressOf } from 'uma-auth-vasp'
import { buildFixedRateInvoice } from '../../invoices/fixed-rate'
import type { RateSnapshot } from '../../ledger/rate-snapshot'
import { isCurrencyCode, multiplierOf } from '../../money/currencies'
import { badInput } from '../../platform/errors'
import { parseAddress, type Address } from '../address'
import { localOffer } from '../client/own-receiver'
import { toVaspError } from '../client/remote-vasp'
import { requestUmaInvoice } from '../client/request-invoice'
import { requireUma } from '../client/require-uma'
import type { InvoiceOffer, InvoiceRequest } from '../client/types'
import { isUmaFault } from '../fault'
import { findPayableUser } from '../find-payable-user'
import { readMultiplier } from '../messages/multiplier'
import { saveRequestedInvoice } from '../pay-requests'
import type { Protocol, UmaPorts } from '../types'
import { checkTerms, checkUmaInvoice } from './check'
import { bareUmaInvoice, decodeUmaInvoice, type UmaInvoice } from './codec'
import { findClaim } from './reserve-payment'

/** A checked UMA invoice: who is paid, how much, and until when. */
export interface PayableUmaInvoice {
  readonly receiver: Address
  readonly protocol: Protocol
  readonly invoice: UmaInvoice
  /** The invoice text without the prefix that may precede it. */
  readonly encoded: string
  /** Our rates, taken when the invoice was read: a quote for it uses no other rates. */
  readonly rates: RateSnapshot
  /** Requests a Lightning invoice for the amount of the UMA invoice. */
  requestInvoice(
    request: Pick<InvoiceRequest, 'username' | 'expirySeconds' | 'comment' | 'callbackId'>,
  ): Promise<InvoiceOffer>
}

/**
 * Reads a UMA invoice that a user pasted.
 * @throws VaspError 400 with a message for an invoice that cannot be paid.
 */
export async function readUmaInvoice(ports: UmaPorts, text: string): Promise<PayableUmaInvoice> {
  try {
    return await read(ports, text)
  } catch (error) {
    // Faults of the invoice itself are shown. Other faults are errors of its VASP.
    if (isUmaFault(error) && ['INVALID_INVOICE', 'INVOICE_EXPIRED', 'NO_COMPATIBLE_UMA_VERSION'].includes(error.code))
      throw badInput(error.message, error)
    throw toVaspError(domainOf(text), error)
  }
}

function domainOf(text: string): string {
  const domain = decodeUmaInvoice(text)?.invoice.receiver.split('@')[1] ?? ''
  return /^[a-z0-9.:-]{1,253}$/i.test(domain) ? domain : 'The remote VASP'
}

async function read(ports: UmaPorts, text: string): Promise<PayableUmaInvoice> {
  const encoded = bareUmaInvoice(text).toLowerCase()
  const rates = ports.rates.current()
  const own = readOwn(ports, text)
  if (own !== undefined) {
    const { invoice, receiver } = own
    return {
      invoice,
      receiver,
      encoded,
      protocol: 'own',
      rates,
      requestInvoice: (request) => requestOwnInvoice(ports, { ...own, rates }, request),
    }
  }
  const uma = requireUma(ports)
  const { invoice, receiver } = await checkUmaInvoice({ ...ports, uma }, text, 'outgoing')
  const major = invoice.umaVersions.some((version) => version.startsWith('1.')) ? 1 : 0
  const { code, decimals } = invoice.currency
  return {
    invoice,
    receiver,
    encoded,
    protocol: major === 1 ? 'uma-1' : 'uma-0',
    rates,
    requestInvoice: async ({ username, comment, callbackId }) => {
      refuseOtherSender(ports, invoice, username)
      const wanted = Object.entries(invoice.requiredPayerData).map(([key, mandatory]) => [key, { mandatory }])
      return requestUmaInvoice(
        ports,
        {
          address: receiver,
          major,
          callback: invoice.callback,
          isSubjectToTravelRule: invoice.isSubjectToTravelRule,
          payerData: Object.fromEntries(wanted) as Record<string, { mandatory: boolean }>,
        },
        {
          username,
          comment,
          callbackId,
          currency: { code, decimals },
          lock: { side: 'receiving', units: invoice.amount },
          // Without a lookup, our own rate (if there is one) is the reference for the price.
          price: isCurrencyCode(code) ? readMultiplier(multiplierOf(code, rates.rateOf)) : undefined,
          umaInvoiceUuid: invoice.uuid,
        },
      )
    },
  }
}

interface OwnInvoice {
  readonly invoice: UmaInvoice
  readonly receiver: Address
}

/** An invoice of this VASP, signed with our own key. */
function readOwn(ports: UmaPorts, text: string): OwnInvoice | undefined {
  const found = decodeUmaInvoice(text)
  if (found === undefined || !found.invoice.receiver.toLowerCase().endsWith(`@${ports.settings.vaspDomain}`))
    return undefined
  if (!found.isSignedBy(requireUma(ports).keys.signing.publicKeyHex))
    throw badInput('This VASP did not create this UMA invoice, although the invoice names the domain of this VASP.')
  checkTerms(found.invoice, ports)
  return { invoice: found.invoice, receiver: parseAddress(found.invoice.receiver) }
}

function refuseOtherSender({ settings }: UmaPorts, { sender }: UmaInvoice, username: string): void {
  if (sender !== undefined && sender.toLowerCase() !== addressOf(username, settings.vaspDomain))
    throw badInput('This UMA invoice can only be paid by another address.')
}

async function requestOwnInvoice(
  ports: UmaPorts,
  { invoice, receiver, rates }: OwnInvoice & Pick<PayableUmaInvoice, 'rates'>,
  { username, expirySeconds, comment }: Pick<InvoiceRequest, 'username' | 'expirySeconds' | 'comment'>,
): Promise<InvoiceOffer> {
  refuseOtherSender(ports, invoice, username)
  const user = await findPayableUser(ports.db, receiver.username)
  if (typeof user === 'string') throw badInput(`${receiver.text} accepts no payments right now.`)
  const wallet = user.wallets.find(({ code }) => code === invoice.currency.code)
  if (wallet === undefined) throw badInput(`${receiver.text} does not accept ${invoice.currency.code}.`)
  const { amount, uuid } = invoice
  const payer = addressOf(username, ports.settings.vaspDomain)
  const made = await claimOwn(async () => {
    const claim = await findClaim(ports, {
      uuid,
      amount,
      isInReceivingCurrency: true,
      username: user.username,
      wallet,
      payer: { text: payer },
    })
    const drawn = await buildFixedRateInvoice(ports, {
      wallet,
      rates,
      lock: { side: 'receiving', units: amount },
      description: comment,
      expirySeconds: Math.min(expirySeconds, claim.secondsLeft),
    })
    await saveRequestedInvoice(ports.db, {
      username: user.username,
      walletId: wallet.walletId,
      made: drawn,
      description: comment,
      request: {
        protocol: 'own',
        payerAddress: payer,
        comment,
        umaInvoiceId: claim.id,
      },
    })
    return drawn
  })
  return localOffer(ports, made, { wallet, rates })
}

/** Translates the protocol's refusals of our own UMA invoice into messages for our user. */
async function claimOwn<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isUmaFault(error) ? badInput(error.message, error) : error
  }
}
