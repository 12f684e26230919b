import type { NwcRequest } from './message'
import { failure, outcomeOf, type Outcome } from './outcome'
import { answerAgain, cycleOf, estimateCall, pay, type PaymentDeps } from './payments'
import { EstimateReply } from './replies'
import { BadParams, readRequest, type Sending, type VaspCall } from './requests'
import { isOver, type Connection, type StoredQuote } from './store'

export interface WalletDeps extends PaymentDeps {
  /** Commands that the VASP supports. */
  readonly supported: readonly string[]
}

/**
 * Carries out one command of an app: permission, expiry, budget, then the call to the VASP. The checks run in the
 * public gateway's order, except that a command that the VASP lacks is NOT_IMPLEMENTED.
 */
export async function carryOut(deps: WalletDeps, request: NwcRequest): Promise<Outcome> {
  const connection = deps.store.connectionWhere((each) => each.appPublicKey === request.from)
  if (connection === undefined)
    return failure('UNAUTHORIZED', 'This key belongs to no connection: it was disconnected, or the key was renewed.')
  const refusal = refusalFor(deps, connection, request.command)
  if (refusal !== undefined) return refusal
  const earlier = connection.payments.find((payment) => payment.requestId === request.id)
  if (earlier !== undefined) return answerAgain(deps, connection, earlier)
  deps.store.change(connection.id, () => ({ lastUsedAtSeconds: deps.nowSeconds() }), 'soon')
  try {
    return await run(deps, connection, request)
  } catch (error) {
    if (error instanceof BadParams) return failure(error.code, error.message)
    throw error
  }
}

function refusalFor(deps: WalletDeps, connection: Connection, command: string): Outcome | undefined {
  const now = deps.nowSeconds()
  const known = deps.supported.includes(command)
  if (!known) return failure('NOT_IMPLEMENTED', `This wallet does not support ${command.slice(0, 40)}.`)
  if (!connection.permissions.includes(command))
    return failure('RESTRICTED', `This connection was not granted ${command}.`)
  if (isOver(connection.expiresAtSeconds, now))
    return failure('UNAUTHORIZED', 'This connection has ended. Connect again.')
  if (isOver(connection.keyExpiresAtSeconds, now))
    return failure('UNAUTHORIZED', 'This key has expired. Refresh it with the refresh token.')
  return undefined
}

async function run(deps: WalletDeps, connection: Connection, request: NwcRequest): Promise<Outcome> {
  const wanted = readRequest(request.command, request.params)
  const { id, command } = request
  switch (wanted.kind) {
    case 'budget':
      return budget(deps, connection)
    case 'call': {
      const outcome = await ask(deps, connection, wanted.call)
      return command === 'get_info'
        ? withOwnMethods(deps, connection, outcome)
        : keepQuote(deps, connection, command, outcome)
    }
    case 'payment':
      return pay(deps, connection, { id, command, call: wanted.call, sending: wanted.sending })
    case 'quoted-payment': {
      const quote = deps.store.quote(wanted.paymentHash, connection.id)
      if (quote === undefined) return failure('OTHER', 'No quote has this payment hash.')
      return pay(deps, connection, { id, command, call: wanted.call, sending: sendingOf(quote) })
    }
  }
}

async function ask(deps: WalletDeps, connection: Connection, call: VaspCall): Promise<Outcome> {
  return outcomeOf(await deps.call(connection, call), call.reply)
}

/** NIP-47: `get_info` lists the methods of this connection. The VASP's answer lists all that it supports. */
function withOwnMethods(deps: WalletDeps, connection: Connection, outcome: Outcome): Outcome {
  if ('error' in outcome) return outcome
  const methods = connection.permissions.filter((method) => deps.supported.includes(method))
  return { result: { ...outcome.result, methods } }
}

function keepQuote(deps: WalletDeps, connection: Connection, command: string, outcome: Outcome): Outcome {
  if (command !== 'fetch_quote' || 'error' in outcome) return outcome
  const { payment_hash, sending_currency, total_sending_amount } = outcome.result
  deps.store.addQuote({
    paymentHash: String(payment_hash),
    connectionId: connection.id,
    sendingCurrencyCode: (sending_currency as { code: string }).code,
    totalSendingAmount: Number(total_sending_amount),
  })
  return outcome
}

function sendingOf({ sendingCurrencyCode, totalSendingAmount, paymentHash }: StoredQuote): Sending {
  return { currencyCode: sendingCurrencyCode, amount: totalSendingAmount, receiver: 'by a quote', paymentHash }
}

const MSATS_PER_SAT = 1_000

/** The used and total budget in millisatoshis, and in the connection's own currency unless that is SAT. */
async function budget(deps: WalletDeps, connection: Connection): Promise<Outcome> {
  const { limit, currency } = connection
  if (limit === null) return { result: {} }
  const cycle = cycleOf(connection, limit, deps.nowSeconds())
  const used = cycle.spent + cycle.held
  const renewal = {
    ...(cycle.endSeconds === null ? {} : { renews_at: cycle.endSeconds }),
    renewal_period: limit.frequency === 'none' ? 'never' : limit.frequency,
  }
  if (currency.code === 'SAT')
    return {
      result: { used_budget: used * MSATS_PER_SAT, total_budget: limit.amount * MSATS_PER_SAT, ...renewal },
    }
  const exchange = await deps.call(connection, estimateCall(currency.code, limit.amount, 'SAT'))
  const outcome = outcomeOf(exchange, EstimateReply)
  if ('error' in outcome) return outcome
  const totalMsats = BigInt(Number(outcome.result.estimated_budget_currency_amount)) * BigInt(MSATS_PER_SAT)
  const usedMsats = (totalMsats * BigInt(used)) / BigInt(limit.amount)
  return {
    result: {
      used_budget: Number(usedMsats),
      total_budget: Number(totalMsats),
      ...renewal,
      currency: { ...currency, used_budget: used, total_budget: limit.amount },
    },
  }
}
