import { createHash, randomBytes } from 'node:crypto'
import {
  WalletError,
  type CallContext,
  type Payment,
  type Quote,
  type Transaction,
  type WalletBackend,
} from 'uma-auth-vasp'
import { createWallet } from '@/examples/express/wallet'

export type Wallet = WalletBackend<{ readonly id: string }, 'SAT'>

interface User {
  readonly id: string
  balanceMsats: bigint
}
interface Settled {
  readonly payer: string
  readonly payee: string
  readonly transaction: Transaction
}
interface OpenQuote {
  readonly quote: Quote<'SAT'>
  readonly payer: string
  readonly payee: string
  readonly preimage: string
  isPaid: boolean
}

const MAX_SATS = 1_000_000n
const SAT = { code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 } as const
const now = (): number => Math.floor(Date.now() / 1000)
const hashOf = (preimage: string): string => createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')

/** The example's wallet plus the other six commands, for payments between its own users. */
export function createCompleteWallet(userIds: readonly string[]): Wallet {
  const example = createWallet(userIds) as unknown as Wallet & Required<Pick<Wallet, 'payInvoice' | 'lookupInvoice'>>
  const users = new Map<string, User>()
  const settled: Settled[] = []
  const quotes = new Map<string, OpenQuote>()
  const keysends = new Map<string, Payment>()

  async function remember(id: string, userId: string): Promise<void> {
    const user = await example.connections.open(
      { use: 'login', id, userId, scope: [], expiresAtSeconds: undefined },
      { release: () => undefined },
    )
    if (user !== undefined) users.set(userId, user as User)
  }

  function receiverOf(address: string): User {
    const [, name = '', domain] = /^\$?([^@]+)@([^@]+)$/.exec(address) ?? []
    if (domain === undefined) throw new WalletError('OTHER', 'This is not an address.')
    const found = users.get(name)
    if (found === undefined) throw new WalletError('NOT_FOUND', 'There is no such user.')
    return found
  }

  function move(payer: User, payee: User, amountMsats: bigint, preimage: string): Payment {
    if (payer.balanceMsats < amountMsats)
      throw new WalletError('INSUFFICIENT_BALANCE', 'Your balance does not cover this.')
    payer.balanceMsats -= amountMsats
    payee.balanceMsats += amountMsats
    const transaction = transactionOf(hashOf(preimage), amountMsats, preimage)
    settled.unshift({ payer: payer.id, payee: payee.id, transaction })
    return { preimage, totalBudgetAmount: (amountMsats + 999n) / 1_000n }
  }

  function quoteFor(payer: string, payee: User, amount: bigint): OpenQuote {
    const preimage = randomBytes(32).toString('hex')
    const quote: Quote<'SAT'> = {
      sendingCurrencyCode: 'SAT',
      receivingCurrency: SAT,
      paymentHash: hashOf(preimage),
      createdAtSeconds: now(),
      expiresAtSeconds: now() + 600,
      multiplier: 1,
      fees: 0n,
      totalSendingAmount: amount,
      totalReceivingAmount: amount,
    }
    return { quote, payer, payee: payee.id, preimage, isPaid: false }
  }

  return {
    ...example,
    logins: {
      ...example.logins,
      async create(login) {
        const outcome = await example.logins.create(login)
        await remember(login.id, login.userId)
        return outcome
      },
    },
    async payInvoice(user, input, context) {
      const paid = await example.payInvoice(user, input, context)
      const paymentHash = hashOf(paid.preimage)
      const found = await example.lookupInvoice(user, { paymentHash }, context)
      const isNew = !settled.some((each) => each.transaction.paymentHash === paymentHash)
      if (found !== undefined && isNew) settled.unshift({ payer: user.id, payee: '', transaction: found })
      return paid
    },
    listTransactions(user, { fromSeconds = 0, untilSeconds = Infinity, limit, offset, type }) {
      return settled
        .filter((each) => each.payer === user.id || each.payee === user.id)
        .map(({ payer, transaction }): Transaction => ({
          ...transaction,
          type: payer === user.id ? 'outgoing' : 'incoming',
        }))
        .filter(
          (each) =>
            (type === undefined || each.type === type) &&
            each.createdAtSeconds >= fromSeconds &&
            each.createdAtSeconds <= untilSeconds,
        )
        .slice(offset, offset + limit)
    },
    payKeysend(user, { amountMsats, preimage = randomBytes(32).toString('hex'), records }) {
      const known = keysends.get(preimage)
      if (known !== undefined) return known
      const name = Buffer.from(records.find(({ type }) => type === 696_969)?.value ?? '', 'hex').toString()
      const paid = move(user as User, receiverOf(`$${name}@here`), amountMsats, preimage)
      keysends.set(preimage, paid)
      return paid
    },
    lookupUser(_user, { receiverAddress }) {
      receiverOf(receiverAddress)
      return [{ ...SAT, multiplier: 1_000, min: 1n, max: MAX_SATS }]
    },
    fetchQuote(user, { lockedAmount, receiverAddress }) {
      if (lockedAmount > MAX_SATS) throw new WalletError('OTHER', 'The amount is above the maximum.')
      const made = quoteFor(user.id, receiverOf(receiverAddress), lockedAmount)
      quotes.set(made.quote.paymentHash, made)
      return made.quote
    },
    executeQuote(user, { paymentHash }) {
      const found = quotes.get(paymentHash)
      if (found?.payer !== user.id) throw new WalletError('NOT_FOUND', 'There is no such quote.')
      const { quote, preimage, isPaid, payee } = found
      if (!isPaid && quote.expiresAtSeconds <= now()) throw new WalletError('PAYMENT_FAILED', 'The quote has expired.')
      found.isPaid = true
      if (isPaid) return { preimage, totalBudgetAmount: quote.totalSendingAmount }
      return move(user as User, users.get(payee) as User, quote.totalSendingAmount * 1_000n, preimage)
    },
    payToAddress(user, { receiverAddress, sendingAmount }) {
      const receiver = receiverOf(receiverAddress)
      const { quote, preimage } = quoteFor(user.id, receiver, sendingAmount)
      return { ...move(user as User, receiver, sendingAmount * 1_000n, preimage), quote }
    },
  }
}

const KEYED = ['makeInvoice', 'payInvoice', 'payKeysend', 'executeQuote', 'payToAddress'] as const

/** The wallet with idempotency keys: the first answer for the same request, and a refusal for another one. */
export function withKeys(wallet: Wallet): Wallet {
  const stored = new Map<string, { readonly request: string; readonly result: unknown }>()
  const keyed = KEYED.flatMap((name) => {
    const method = wallet[name] as ((user: unknown, input: unknown, context: CallContext) => unknown) | undefined
    if (method === undefined) return []
    function once(user: unknown, input: unknown, context: CallContext): unknown {
      if (context.idempotencyKey === undefined) return method?.(user, input, context)
      const id = `${context.claims.id} ${context.idempotencyKey}`
      const request = JSON.stringify([name, input], (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      const known = stored.get(id) ?? { request, result: method?.(user, input, context) }
      if (known.request !== request) throw new WalletError('OTHER', 'This Idempotency-Key was used before.')
      stored.set(id, known)
      return known.result
    }
    return [[name, once] as const]
  })
  return { ...wallet, ...(Object.fromEntries(keyed) as Partial<Wallet>) }
}

function transactionOf(paymentHash: string, amountMsats: bigint, preimage: string): Transaction {
  return {
    type: 'outgoing',
    paymentHash,
    amountMsats,
    feesPaidMsats: 0n,
    invoice: null,
    description: null,
    descriptionHash: null,
    preimage,
    createdAtSeconds: now(),
    expiresAtSeconds: null,
    settledAtSeconds: now(),
    metadata: null,
  }
}
