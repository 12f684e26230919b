import { MAX_WIRE_INTEGER } from '../../money/convert'
import { epochSeconds } from '../../platform/clock'
import { isVaspError } from '../../platform/errors'
import { parseAddress, type Address } from '../address'
import { umaFault } from '../fault'
import { isAddressOf, isOtherVasp } from '../messages/domains'
import type { Direction, Uma, UmaPorts } from '../types'
import { decodeUmaInvoice, type ReadInvoice, type UmaInvoice } from './codec'

type Ports = Pick<UmaPorts, 'settings' | 'clock'> & { readonly uma: Pick<Uma, 'remoteKeys'> }

export interface CheckedUmaInvoice {
  readonly invoice: UmaInvoice
  readonly receiver: Address
}

const CODE = /^[A-Z0-9]{3}$/

/**
 * Reads a UMA invoice from another VASP. It must be complete, not expired and signed by the VASP of its receiver, and
 * its callback must be at that VASP.
 * @throws UmaFault
 */
export async function checkUmaInvoice(ports: Ports, text: string, direction: Direction): Promise<CheckedUmaInvoice> {
  const read = decodeUmaInvoice(text)
  if (read === undefined) throw invalid('The UMA invoice is not valid.')
  const { invoice } = read
  const receiver = readReceiver(invoice.receiver)
  if (!isOtherVasp(ports.settings, receiver.domain))
    throw umaFault('COUNTERPARTY_NOT_ALLOWED', 'UMA invoices from this domain are not accepted.')
  if (!isAddressOf(ports.settings, invoice.callback, receiver.domain))
    throw invalid('The callback of the UMA invoice is not at its receiver’s VASP.')
  checkTerms(invoice, ports)
  await checkSignature(ports, read, receiver.domain, direction)
  return { invoice, receiver }
}

/** @throws UmaFault for an invoice that has expired, or that this VASP cannot show or pay. */
export function checkTerms(
  { amount, currency, expiresAtSeconds, umaVersions }: UmaInvoice,
  { clock }: Pick<Ports, 'clock'>,
): void {
  if (expiresAtSeconds <= epochSeconds(clock.now())) throw umaFault('INVOICE_EXPIRED', 'The UMA invoice has expired.')
  if (!umaVersions.some((version) => /^[01]\./.test(version)))
    throw umaFault('NO_COMPATIBLE_UMA_VERSION', 'The UMA invoice has a version that this VASP does not support.')
  if (!CODE.test(currency.code) || currency.decimals > 8 || amount > MAX_WIRE_INTEGER)
    throw invalid('The UMA invoice has a currency or an amount that this VASP cannot pay.')
}

function readReceiver(text: string): Address {
  try {
    const address = parseAddress(text)
    if (address.isUma) return address
  } catch (error) {
    if (!isVaspError(error)) throw error
  }
  throw invalid('The UMA invoice contains no UMA address.')
}

async function checkSignature(
  { uma }: Pick<Ports, 'uma'>,
  read: ReadInvoice,
  domain: string,
  direction: Direction,
): Promise<void> {
  const { signing } = await uma.remoteKeys.get(domain, direction)
  if (read.isSignedBy(signing)) return
  const newer = await uma.remoteKeys.refresh(domain, direction)
  if (newer === undefined || !read.isSignedBy(newer.signing))
    throw umaFault('INVALID_SIGNATURE', `The UMA invoice is not signed by ${domain}.`)
}

function invalid(reason: string): Error {
  return umaFault('INVALID_INVOICE', reason)
}
