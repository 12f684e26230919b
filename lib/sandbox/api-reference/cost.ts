import type { CommandName } from 'uma-auth-vasp'
import { z } from 'zod'
import { readWallets } from '../../ledger/accounts'
import type { Rates } from '../../ledger/rate-snapshot'
import type { LightningNode } from '../../lightning/node'
import { isCurrencyCode, type CurrencyCode } from '../../money/currencies'
import { msatsInLedgerUnits, toLedgerUnits } from '../../money/ledger-units'
import { firstThatCovers, internalDebit, lightningDebit } from '../../payments/debit'
import { previewCall } from '../../payments/preview'
import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { parseJson } from '../../platform/parse-json'
import { findQuote } from '../../quotes/queries'
import type { TypedCall } from './typed-call'

/** What a call would debit now, and from which wallet. Nothing is reserved. */
export interface CallCost {
  /** Ledger units of the wallet. */
  readonly debit?: bigint
  readonly walletCode?: CurrencyCode
  /** True when `debit` includes the maximum network fee. */
  readonly isMaximum?: boolean
  readonly payee?: string
  /** Why the call would not pay now. */
  readonly problem?: string
}

interface CostPorts {
  readonly db: Database
  readonly node: LightningNode
  readonly clock: Clock
  readonly rates: Pick<Rates, 'current'>
}

const Units = z.int().min(1).transform(BigInt)
const PayInvoice = z.object({ invoice: z.string(), amount: Units.nullish() })
const PayKeysend = z.object({ amount: Units, pubkey: z.string() })
const PayToAddress = z.object({
  receiver_address: z.string(),
  sending_currency_code: z.string().refine(isCurrencyCode),
  sending_currency_amount: Units,
})

const UNREADABLE: CallCost = { problem: 'The API will refuse these values.' }
const TOO_LITTLE = 'None of your wallets holds enough.'

type Call = Pick<TypedCall, 'url' | 'body'>

/** The cost for the question before a call pays. Empty for a command that cannot move money. */
export async function costOfCall(
  ports: CostPorts,
  username: string,
  command: CommandName,
  call: Call,
): Promise<CallCost> {
  return (await COSTS[command]?.(ports, username, call)) ?? {}
}

const COSTS: Readonly<
  Partial<Record<CommandName, (ports: CostPorts, username: string, call: Call) => Promise<CallCost>>>
> = {
  async pay_invoice(ports, username, { body = '' }) {
    const { data } = PayInvoice.safeParse(parseJson(body))
    return data === undefined ? UNREADABLE : costOfInvoice(ports, username, data.invoice, data.amount ?? undefined)
  },
  async pay_keysend(ports, username, { body = '' }) {
    const { data } = PayKeysend.safeParse(parseJson(body))
    return data === undefined ? UNREADABLE : costOfKeysend(ports, username, data.amount, data.pubkey)
  },
  execute_quote: (ports, username, { url }) =>
    costOfQuote(ports, username, url.slice(url.lastIndexOf('/') + 1).toLowerCase()),
  async pay_to_address(ports, username, { body = '' }) {
    const { data } = PayToAddress.safeParse(parseJson(body))
    if (data === undefined || !isCurrencyCode(data.sending_currency_code)) return UNREADABLE
    const { sending_currency_code: code, sending_currency_amount: amount, receiver_address: payee } = data
    return withBalance(ports, username, { debit: toLedgerUnits(amount, code), walletCode: code, payee })
  },
}

async function costOfInvoice(
  ports: CostPorts,
  username: string,
  invoice: string,
  amountMsats: bigint | undefined,
): Promise<CallCost> {
  const preview = await previewCall(ports, username, invoice, amountMsats)
  if (preview.kind === 'ready') {
    const { debit, walletCode, payee, feeLimitMsats } = preview
    return { debit, walletCode, payee: `node ${payee}`, isMaximum: feeLimitMsats > 0n }
  }
  return { problem: preview.kind === 'problem' ? preview.message : 'The invoice has no amount.' }
}

async function costOfKeysend(
  { db, node, rates }: CostPorts,
  username: string,
  amountMsats: bigint,
  pubkey: string,
): Promise<CallCost> {
  const { rateOf } = rates.current()
  const isOwnNode = pubkey.toLowerCase() === node.identity.publicKeyHex
  const debitOf = isOwnNode ? internalDebit(amountMsats, rateOf) : lightningDebit(amountMsats, rateOf)
  const wallets = await readWallets(db, username)
  const wallet = firstThatCovers(wallets, debitOf)
  const payee = `node ${pubkey}`
  if (wallet !== undefined) return { debit: debitOf(wallet), walletCode: wallet.code, payee, isMaximum: !isOwnNode }
  return { debit: msatsInLedgerUnits(amountMsats, 'SAT', 'up', rateOf), walletCode: 'SAT', payee, problem: TOO_LITTLE }
}

async function costOfQuote({ db }: CostPorts, username: string, paymentHash: string): Promise<CallCost> {
  const found = await findQuote(db, username, paymentHash)
  if (found === undefined) return { problem: 'This quote no longer exists.' }
  const { quote, expired, payment } = found
  const { sendingCode: walletCode, receiverAddress: payee } = quote
  const cost = { debit: toLedgerUnits(quote.totalSendingAmount, walletCode), walletCode, payee }
  if (payment !== null && payment !== 'failed')
    return { ...cost, problem: 'This quote has been paid. The call returns the stored result and moves no money.' }
  return expired ? { ...cost, problem: 'This quote has expired.' } : cost
}

async function withBalance(
  { db }: CostPorts,
  username: string,
  cost: CallCost & { readonly debit: bigint },
): Promise<CallCost> {
  const wallet = (await readWallets(db, username)).find(({ code }) => code === cost.walletCode)
  if (wallet === undefined) return { ...cost, problem: 'You have no wallet in this currency.' }
  return wallet.available < cost.debit ? { ...cost, problem: 'This wallet does not hold enough.' } : cost
}
