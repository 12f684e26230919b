import { readWallets } from '../ledger/accounts'
import type { Rates } from '../ledger/rate-snapshot'
import { decodeInvoice, NOT_AN_INVOICE, type DecodedInvoice } from '../lightning/bolt11'
import type { LightningNode } from '../lightning/node'
import { currencyOf, type CurrencyCode, type RateTable } from '../money/currencies'
import { formatAmount, parseAmount } from '../money/format'
import { toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { epochSeconds, type Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { badInput, isVaspError } from '../platform/errors'
import { feeLimitOf, firstThatCovers, internalDebit, lightningDebit } from './debit'
import { findExistingPayment } from './idempotency'
import { readInvoiceStatus } from './invoice-status'
import { isOnChainOnly, payableIn } from './pasted'
import { agreeOnAmount } from './pay-invoice'
import { refuseWithoutRoute } from './route'
import { isPending } from './service'

/** What the user sees before confirming. */
export type Preview =
  | {
      readonly kind: 'ready'
      readonly invoice: string
      readonly paymentHash: string
      readonly description: string | null
      readonly amountMsats: bigint
      readonly expiresAt: Date
      /** Public key of the node that is paid, hex. */
      readonly payee: string
      readonly walletCode: CurrencyCode
      /** The maximum charge to the wallet, in its ledger units, including the maximum network fee. */
      readonly debit: bigint
      /** The maximum network fee. */
      readonly feeLimitMsats: bigint
      /** The rate, such as "1 USD = 1,000 SAT"; null when the wallet holds bitcoin. */
      readonly rateText: string | null
    }
  | { readonly kind: 'needs-amount'; readonly invoice: string; readonly description: string | null }
  /** `isOfAmount`: another amount may be payable; only for an invoice without an amount. `lacks`: no wallet holds enough. */
  | { readonly kind: 'problem'; readonly message: string; readonly isOfAmount?: boolean; readonly lacks?: boolean }

interface PreviewPorts {
  readonly db: Database
  readonly node: LightningNode
  readonly clock: Clock
  readonly rates: Pick<Rates, 'current'>
}

const EXPIRED: Preview = { kind: 'problem', message: 'This invoice has expired. Ask for a new one.' }

const NEITHER = 'This is neither an address nor an invoice.'
const ON_CHAIN =
  'This is a bitcoin address without a Lightning invoice. This VASP does not pay on chain. Ask the recipient for a Lightning invoice or an address.'

/** Reads the pasted text and computes what paying the invoice would cost now. `amountText` is in satoshis. Nothing is reserved. */
export async function previewPayment(
  ports: PreviewPorts,
  username: string,
  text: string,
  amountText?: string,
): Promise<Preview> {
  if (isOnChainOnly(text)) return { kind: 'problem', message: ON_CHAIN }
  const decoding = decodeInvoice(payableIn(text), ports.node.identity.network)
  if (!decoding.ok) return { kind: 'problem', message: decoding === NOT_AN_INVOICE ? NEITHER : decoding.reason }
  const { invoice } = decoding
  if (invoice.expiresAtSeconds <= epochSeconds(ports.clock.now())) return EXPIRED
  if (invoice.amountMsats === undefined && (amountText ?? '') === '')
    return { kind: 'needs-amount', invoice: invoice.invoice, description: invoice.description ?? null }
  const typed = invoice.amountMsats === undefined ? parseAmount(amountText ?? '', 'SAT') : undefined
  if (invoice.amountMsats === undefined && typed === undefined)
    return { kind: 'problem', message: 'The amount must be a whole number of satoshis.', isOfAmount: true }
  let amountMsats: bigint
  try {
    amountMsats = agreeOnAmount(invoice, typed)
  } catch (error) {
    return { ...asProblem(error), isOfAmount: invoice.amountMsats === undefined }
  }
  return ready(ports, username, invoice, amountMsats).catch(asProblem)
}

/** The same for an API call, with the amount in millisatoshis. */
export async function previewCall(
  ports: PreviewPorts,
  username: string,
  text: string,
  amountMsats: bigint | undefined,
): Promise<Preview> {
  const decoding = decodeInvoice(text, ports.node.identity.network)
  if (!decoding.ok) return { kind: 'problem', message: decoding.reason }
  const { invoice } = decoding
  if (invoice.expiresAtSeconds <= epochSeconds(ports.clock.now())) return EXPIRED
  try {
    return await ready(ports, username, invoice, agreeOnAmount(invoice, amountMsats))
  } catch (error) {
    return asProblem(error)
  }
}

function asProblem(error: unknown): Extract<Preview, { kind: 'problem' }> {
  if (isVaspError(error)) return { kind: 'problem', message: error.message }
  throw error
}

async function ready(
  ports: PreviewPorts,
  username: string,
  invoice: DecodedInvoice,
  amountMsats: bigint,
): Promise<Preview> {
  const { rateOf } = ports.rates.current()
  const status = await readInvoiceStatus(ports.db, invoice, username)
  if (status.own !== undefined) return { kind: 'problem', message: 'You have paid this invoice already.' }
  if (status.settled) return { kind: 'problem', message: 'Another user has paid this invoice already.' }
  if (status.expired) return EXPIRED
  const isOutgoing = status.payee === undefined
  if (isOutgoing) await refuseUnpayable(ports, username, invoice, amountMsats)
  const wallets = await readWallets(ports.db, username)
  const debitOf = isOutgoing ? lightningDebit(amountMsats, rateOf) : internalDebit(amountMsats, rateOf)
  const wallet = firstThatCovers(wallets, debitOf)
  if (wallet === undefined)
    return {
      kind: 'problem',
      message: 'None of your wallets holds enough. Add money, or convert some.',
      lacks: true,
      isOfAmount: invoice.amountMsats === undefined,
    }
  const feeLimitMsats = isOutgoing ? feeLimitOf(amountMsats) : 0n
  return {
    kind: 'ready',
    invoice: invoice.invoice,
    paymentHash: invoice.paymentHash,
    description: invoice.description ?? null,
    amountMsats,
    expiresAt: new Date(invoice.expiresAtSeconds * 1000),
    payee: invoice.payee,
    walletCode: wallet.code,
    debit: debitOf(wallet),
    feeLimitMsats,
    rateText: wallet.code === 'SAT' ? null : rateText(wallet.code, rateOf),
  }
}

/** @throws VaspError when there is no route to the invoice's node, or when a user has paid or is paying the invoice. */
async function refuseUnpayable(
  ports: PreviewPorts,
  username: string,
  { paymentHash, invoice, payee }: DecodedInvoice,
  amountMsats: bigint,
): Promise<void> {
  const identity = {
    username,
    paymentHash,
    hashIsGiven: true,
    invoice,
    amountMsats,
    metadata: null,
    connectionId: null,
    idempotencyKey: null,
  }
  const earlier = await findExistingPayment(ports.db, identity)
  if (earlier !== undefined)
    throw badInput(
      isPending(earlier)
        ? 'You are already paying this invoice: the payment is pending.'
        : 'You have paid this invoice already.',
    )
  await refuseWithoutRoute(ports, { payee, amountMsats, invoice }, feeLimitOf(amountMsats))
}

/** The price of one whole unit of the currency, rounded down to a millisatoshi. */
function rateText(code: CurrencyCode, rates: RateTable): string {
  const oneWhole = toLedgerUnits(10n ** BigInt(currencyOf(code).decimals), code)
  return `1 ${code} = ${formatAmount(worthInMsats(oneWhole, code, 'down', rates), 'SAT')} SAT`
}
