import type { CommandName, UmaAuthVasp } from 'uma-auth-vasp'
import { z } from 'zod'
import { findStoredClaims } from '../../connections/queries'
import { findReplay } from '../../events/queries'
import type { EventRecorder } from '../../events/recorder'
import { readWallets } from '../../ledger/accounts'
import type { Rates } from '../../ledger/rate-snapshot'
import type { LightningNode } from '../../lightning/node'
import { isCurrencyCode, type CurrencyCode } from '../../money/currencies'
import { msatsInLedgerUnits, toLedgerUnits } from '../../money/ledger-units'
import { firstThatCovers, internalDebit, lightningDebit } from '../../payments/debit'
import { previewCall } from '../../payments/preview'
import type { Clock } from '../../platform/clock'
import { setBounded } from '../../platform/concurrency/bounded-map'
import type { Database } from '../../platform/db/database'
import { parseJson } from '../../platform/parse-json'
import { singleton } from '../../platform/process-singletons'
import { findQuote } from '../../quotes/queries'
import type { ReplayPlan } from './replay'

interface ReplayPorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'flush'>
}

export interface ReplayOutcome {
  readonly status: number
  /** Undefined when the event was dropped: the queue was full, or the database did not store it. */
  readonly eventId: bigint | undefined
}

/** Maximum number of kept outcomes. A repeated submission of the same form receives the kept outcome. */
const MAX_REPEATABLE = 1_000

/**
 * Sends a stored call again as its connection, in process: no token is created. The protocol package checks expiry, revocation,
 * scope and input, in the same code as for every call.
 * @param requestId identifies one press of the button. The second click of a double click returns the outcome of the first, and sends
 * nothing. On another instance it sends the call again, but a payment with the same request id is paid only once. The original
 * call's Idempotency-Key is not sent, because the replay would then only return the first answer.
 * @returns undefined when the user has no such connection.
 */
export async function replayCall(
  ports: ReplayPorts,
  vasp: Pick<UmaAuthVasp, 'replay'>,
  username: string,
  plan: ReplayPlan,
  requestId: string,
): Promise<ReplayOutcome | undefined> {
  const outcomes = singleton('replays', () => new Map<string, Promise<ReplayOutcome | undefined>>())
  const key = `${username} ${plan.eventId} ${requestId}`
  const earlier = outcomes.get(key)
  if (earlier !== undefined) return earlier
  const outcome = sendAgain(ports, vasp, username, plan, requestId)
  setBounded(outcomes, key, outcome, MAX_REPEATABLE)
  // After an error or a refusal, the next submission tries again. After a 5xx it does not: a payment may be in progress.
  outcome.then(
    (done) => (done === undefined || (done.status >= 400 && done.status < 500)) && outcomes.delete(key),
    () => outcomes.delete(key),
  )
  return outcome
}

async function sendAgain(
  { db, events }: ReplayPorts,
  vasp: Pick<UmaAuthVasp, 'replay'>,
  username: string,
  { eventId, connectionId, command, url, body }: ReplayPlan,
  requestId: string,
): Promise<ReplayOutcome | undefined> {
  const claims = await findStoredClaims(db, username, connectionId)
  if (claims === undefined) return undefined
  const request = {
    method: command.method,
    url,
    headers: new Headers({ 'Idempotency-Key': `replay-${requestId}` }),
    body: body === undefined ? null : bytesOf(body),
  }
  const { status, headers } = await vasp.replay(request, { claims, of: String(eventId) })
  await events.flush()
  const named = { replayOf: eventId, requestId: headers['X-Request-Id'] ?? '' }
  return { status, eventId: await findReplay({ db }, username, named) }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

/** What a replay would debit now, and from which wallet. Nothing is reserved. */
export interface ReplayCost {
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

const UNREADABLE: ReplayCost = { problem: 'The amount cannot be read from the stored request.' }
const TOO_LITTLE = 'None of your wallets holds enough.'

type Plan = Pick<ReplayPlan, 'command' | 'url' | 'body'>

/** The cost for the page that asks for confirmation before a replay pays. Empty for a call that cannot move money. */
export async function costOfReplay(ports: CostPorts, username: string, plan: Plan): Promise<ReplayCost> {
  return (await COSTS[plan.command.name]?.(ports, username, plan)) ?? {}
}

const COSTS: Readonly<
  Partial<Record<CommandName, (ports: CostPorts, username: string, plan: Plan) => Promise<ReplayCost>>>
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
): Promise<ReplayCost> {
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
): Promise<ReplayCost> {
  const { rateOf } = rates.current()
  const isOwnNode = pubkey.toLowerCase() === node.identity.publicKeyHex
  const debitOf = isOwnNode ? internalDebit(amountMsats, rateOf) : lightningDebit(amountMsats, rateOf)
  const wallets = await readWallets(db, username)
  const wallet = firstThatCovers(wallets, debitOf)
  const payee = `node ${pubkey}`
  if (wallet !== undefined) return { debit: debitOf(wallet), walletCode: wallet.code, payee, isMaximum: !isOwnNode }
  return { debit: msatsInLedgerUnits(amountMsats, 'SAT', 'up', rateOf), walletCode: 'SAT', payee, problem: TOO_LITTLE }
}

async function costOfQuote({ db }: CostPorts, username: string, paymentHash: string): Promise<ReplayCost> {
  const found = await findQuote(db, username, paymentHash)
  if (found === undefined) return { problem: 'This quote no longer exists.' }
  const { quote, expired, payment } = found
  const { sendingCode: walletCode, receiverAddress: payee } = quote
  const cost = { debit: toLedgerUnits(quote.totalSendingAmount, walletCode), walletCode, payee }
  if (payment !== null && payment !== 'failed')
    return { ...cost, problem: 'This quote has been paid. The replay returns the stored result and moves no money.' }
  return expired ? { ...cost, problem: 'This quote has expired.' } : cost
}

async function withBalance(
  { db }: CostPorts,
  username: string,
  cost: ReplayCost & { readonly debit: bigint },
): Promise<ReplayCost> {
  const wallet = (await readWallets(db, username)).find(({ code }) => code === cost.walletCode)
  if (wallet === undefined) return { ...cost, problem: 'You have no wallet in this currency.' }
  return wallet.available < cost.debit ? { ...cost, problem: 'This wallet does not hold enough.' } : cost
}
