import type { WalletAccount } from '../ledger/accounts'
import { isVaspError } from '../platform/errors'
import { retryOnUsedAnswer } from '../uma/client/nonce-retry'
import type { PayableUmaInvoice } from '../uma/invoices/open'
import { quoteOffer } from './create'
import type { Quote, RemoteQuotePorts } from './types'

/** Whether a text looks like a UMA invoice (UMAD-09). */
export function isMeantAsUmaInvoice(text: string): boolean {
  return /^uma(?:1|:)/i.test(text)
}

export type UmaInvoicePreview =
  | { readonly kind: 'invoice'; readonly payable: PayableUmaInvoice }
  | { readonly kind: 'problem'; readonly message: string }

const NO_UMA_INVOICES =
  'This VASP does not pay UMA invoices: its operator has turned them off. Ask for a Lightning invoice or an address instead.'

/**
 * Reads a UMA invoice for a page. Reading may request the keys of the invoice's VASP, so it counts as an outbound
 * request.
 */
export async function previewUmaInvoice(
  ports: RemoteQuotePorts,
  username: string,
  text: string,
): Promise<UmaInvoicePreview> {
  const { umaInvoices } = ports
  if (umaInvoices === undefined) return { kind: 'problem', message: NO_UMA_INVOICES }
  try {
    const payable = await ports.limits.runOutbound(username, () => umaInvoices.readUmaInvoice(ports, text))
    return { kind: 'invoice', payable }
  } catch (error) {
    if (isVaspError(error)) return { kind: 'problem', message: error.message }
    throw error
  }
}

/**
 * Creates a quote for a UMA invoice. The receiving side is locked: the invoice names the amount.
 * @throws VaspError as `payable.requestInvoice` and `quoteOffer` do.
 */
export async function quoteUmaInvoice(
  ports: RemoteQuotePorts,
  {
    username,
    wallet,
    payable,
  }: { readonly username: string; readonly wallet: WalletAccount; readonly payable: PayableUmaInvoice },
): Promise<Quote> {
  const { receiver: address, protocol, invoice, encoded, rates } = payable
  const callbackId = ports.ids.secret()
  const quoteOnce = async (): Promise<Quote> => {
    const offer = await payable.requestInvoice({ username, expirySeconds: ports.settings.quoteSeconds, callbackId })
    const { quote } = await quoteOffer(ports, {
      username,
      connectionId: null,
      wallet,
      lockedSide: 'receiving',
      receiver: { address, protocol, rates },
      currency: invoice.currency,
      offer,
      callbackId,
      umaInvoice: { encoded, uuid: invoice.uuid },
    })
    return quote
  }
  return ports.limits.runOutbound(username, () => retryOnUsedAnswer(address.domain, quoteOnce))
}
