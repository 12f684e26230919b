// A wallet in memory: it forgets balances, invoices, sign-ins and connections at exit. Replace it with your own.
import { createECDH, createHash, randomBytes } from 'node:crypto'
import bolt11 from 'bolt11'
import { WalletError, type CallContext, type Payment, type Transaction, type WalletBackend } from 'uma-auth-vasp'

/** One satoshi. Balances and prices are bigints in millisatoshis; the API shows whole satoshis. */
const SAT_MSATS = 1_000n
const OPENING_BALANCE_MSATS = 1_000_000n * SAT_MSATS
const MIN_PAYMENT_SATS = 1n
const MAX_PAYMENT_SATS = 1_000_000n
const DEFAULT_EXPIRY_SECONDS = 3_600
const CONNECTIONS_PER_LOGIN = 20
const MAX_KEYS = 10_000
const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] }
const FEATURES = { word_length: 4, var_onion_optin: { required: true }, payment_secret: { required: true } }

interface User {
  readonly id: string
  balanceMsats: bigint
}

interface Invoice {
  readonly text: string
  readonly payee: User
  readonly paymentHash: string
  readonly preimage: string
  readonly amountMsats: bigint
  readonly description: string | null
  readonly descriptionHash: string | null
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number
  payment?: { readonly payer: User; readonly settledAtSeconds: number }
}

/**
 * Creates a wallet whose users pay each other's invoices.
 * @param nowSeconds current time in seconds since 1970.
 */
export function createWallet(
  userIds: readonly string[],
  nowSeconds = (): number => Math.floor(Date.now() / 1000),
): WalletBackend<User, 'SAT'> {
  const users = new Map(userIds.map((id): [string, User] => [id, { id, balanceMsats: OPENING_BALANCE_MSATS }]))
  const logins = new Map<string, { readonly userId: string; readonly expiresAtSeconds: number; connections: number }>()
  const connections = new Map<string, string>()
  const invoices = new Map<string, Invoice>()
  const answers = new Map<string, { readonly request: string; readonly answer: unknown }>()
  const node = createECDH('secp256k1')
  node.generateKeys()

  return {
    logins: {
      async create({ id, userId, expiresAtSeconds }) {
        for (const [old, login] of logins) if (login.expiresAtSeconds <= nowSeconds()) logins.delete(old)
        if (logins.has(id)) return 'already-created'
        logins.set(id, { userId, expiresAtSeconds, connections: 0 })
        return 'created'
      },
      async find({ id, userId }) {
        if (!users.has(userId)) return 'unknown-user'
        return logins.has(id) ? 'open' : 'closed'
      },
    },

    connections: {
      async create({ id, loginId, userId }) {
        const login = logins.get(loginId)
        if (login === undefined) return 'login-closed'
        if (login.connections >= CONNECTIONS_PER_LOGIN) return 'login-used-up'
        login.connections += 1
        connections.set(id, userId)
        return 'created'
      },
      async open({ use, id }) {
        const userId = use === 'login' ? logins.get(id)?.userId : connections.get(id)
        return userId === undefined ? undefined : users.get(userId)
      },
    },

    getInfo: () => ({
      pubkey: node.getPublicKey('hex', 'compressed'),
      network: 'regtest',
      currencies: [{ code: 'SAT', multiplier: Number(SAT_MSATS), min: MIN_PAYMENT_SATS, max: MAX_PAYMENT_SATS }],
    }),

    // One currency and no fees: a payment debits what it sends.
    estimateBudget: (_user, { sendingAmount }) => ({ budgetAmount: sendingAmount }),

    getBalance: ({ balanceMsats }) => ({ amount: balanceMsats / SAT_MSATS, currencyCode: 'SAT' }),

    makeInvoice: once('make_invoice', (user, wanted) => {
      const { amountMsats, description, descriptionHash, expirySeconds = DEFAULT_EXPIRY_SECONDS } = wanted
      if (amountMsats < MIN_PAYMENT_SATS * SAT_MSATS || amountMsats > MAX_PAYMENT_SATS * SAT_MSATS)
        throw new WalletError('OTHER', `amount has to be from ${MIN_PAYMENT_SATS} to ${MAX_PAYMENT_SATS} satoshis.`)
      const preimage = randomBytes(32).toString('hex')
      const paymentHash = createHash('sha256').update(preimage, 'hex').digest('hex')
      const createdAtSeconds = nowSeconds()
      const tags = [
        { tagName: 'payment_hash', data: paymentHash },
        { tagName: 'payment_secret', data: randomBytes(32).toString('hex') },
        descriptionHash === undefined
          ? { tagName: 'description', data: description ?? '' }
          : { tagName: 'purpose_commit_hash', data: descriptionHash },
        { tagName: 'expire_time', data: expirySeconds },
        { tagName: 'min_final_cltv_expiry', data: 80 },
        { tagName: 'feature_bits', data: FEATURES },
      ]
      const terms = { network: REGTEST, timestamp: createdAtSeconds, millisatoshis: String(amountMsats), tags }
      const unsigned = bolt11.encode(terms, false)
      const { paymentRequest: text = '' } = bolt11.sign(unsigned, node.getPrivateKey('hex').padStart(64, '0'))
      const about = { description: description ?? null, descriptionHash: descriptionHash ?? null }
      const times = { createdAtSeconds, expiresAtSeconds: createdAtSeconds + expirySeconds }
      const invoice: Invoice = { text, payee: user, paymentHash, preimage, amountMsats, ...about, ...times }
      invoices.set(paymentHash, invoice)
      return toTransaction(invoice, 'incoming')
    }),

    lookupInvoice(user, { paymentHash }) {
      const invoice = invoices.get(paymentHash)
      if (invoice?.payee === user) return toTransaction(invoice, 'incoming')
      return invoice?.payment?.payer === user ? toTransaction(invoice, 'outgoing') : undefined
    },

    // Synchronous on purpose: no other payment runs between the checks and the debit.
    payInvoice: once('pay_invoice', (user, { invoice: text, amountMsats }) => {
      const invoice = readInvoice(text)
      if (amountMsats !== undefined && amountMsats !== invoice.amountMsats)
        throw new WalletError('OTHER', 'amount differs from the amount of the invoice.')
      if (invoice.payment?.payer === user) return toPayment(invoice)
      if (invoice.payment !== undefined) throw new WalletError('PAYMENT_FAILED', 'This invoice is already paid.')
      if (invoice.payee === user) throw new WalletError('PAYMENT_FAILED', 'This invoice is your own.')
      const settledAtSeconds = nowSeconds()
      if (settledAtSeconds >= invoice.expiresAtSeconds)
        throw new WalletError('PAYMENT_FAILED', 'This invoice has expired. Ask for a new one.')
      if (user.balanceMsats < invoice.amountMsats)
        throw new WalletError('INSUFFICIENT_BALANCE', 'Your balance does not cover this invoice.')
      user.balanceMsats -= invoice.amountMsats
      invoice.payee.balanceMsats += invoice.amountMsats
      invoice.payment = { payer: user, settledAtSeconds }
      return toPayment(invoice)
    }),
  }

  /** One request for each key of a connection: the same again gets the same answer. A refused request leaves no key. */
  function once<Input, Result>(command: string, work: (user: User, input: Input) => Result) {
    return (user: User, input: Input, { claims, idempotencyKey }: CallContext): Result => {
      if (idempotencyKey === undefined) return work(user, input)
      const key = `${claims.id} ${idempotencyKey}`
      const request = `${command} ${JSON.stringify(input, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
      const stored = answers.get(key)
      if (stored !== undefined && stored.request !== request)
        throw new WalletError('OTHER', 'This Idempotency-Key was used for another request. Nothing was paid.')
      const answer = stored === undefined ? work(user, input) : (stored.answer as Result)
      answers.set(key, { request, answer })
      // The oldest keys are forgotten. Your own wallet stores them.
      if (answers.size > MAX_KEYS) answers.delete(answers.keys().next().value ?? '')
      return answer
    }
  }

  /**
   * The stored invoice with exactly this text. An app sends the text, so it is an attacker's input: another text can have the same
   * payment hash and name another amount. Everything but the hash is read from the stored invoice.
   */
  function readInvoice(given: string): Invoice {
    const lower = given.trim().toLowerCase()
    const text = lower.replace(/^lightning:/, '')
    const invoice = invoices.get(paymentHashOf(text))
    if (invoice?.text === text) return invoice
    throw new WalletError('PAYMENT_FAILED', 'This wallet pays invoices of its own users only.')
  }
}

function paymentHashOf(text: string): string {
  try {
    const hash = bolt11.decode(text).tags.find(({ tagName }) => tagName === 'payment_hash')?.data
    return typeof hash === 'string' ? hash : ''
  } catch (cause) {
    throw new WalletError('OTHER', 'This is not a Lightning invoice, or it is damaged.', { cause })
  }
}

function toPayment({ preimage, amountMsats }: Invoice): Payment {
  return { preimage, totalBudgetAmount: (amountMsats + SAT_MSATS - 1n) / SAT_MSATS }
}

function toTransaction(
  { text, payee: _payee, payment, preimage, ...invoice }: Invoice,
  type: Transaction['type'],
): Transaction {
  return {
    ...invoice,
    type,
    invoice: text,
    preimage: payment === undefined ? null : preimage,
    feesPaidMsats: payment === undefined ? null : 0n,
    settledAtSeconds: payment?.settledAtSeconds ?? null,
    metadata: null,
  }
}
