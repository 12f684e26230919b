import { createECDH } from 'node:crypto'
import type { Pool } from 'pg'
import { addressOf, WalletError, type Quote, type Slot, type WalletBackend } from 'uma-auth-vasp'
import { first, type Database } from './database.ts'
import { createInvoice, findInvoice, MAX_SATS, MIN_SATS, SAT_MSATS, toTransaction, type Invoice } from './invoices.ts'
import { createLogins, userNamed, type User } from './logins.ts'
import { findPayable, once, receiptOf, settle, type Work } from './payments.ts'

export const SAT = { code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 } as const
const QUOTE_SECONDS = 300
/** Of one user, on each instance: less than the connections of the pool, so that other users get one too. */
const CALLS_AT_ONCE = 4

/**
 * A bank whose users pay each other in satoshis, without fees.
 * @param domain the part of the users' addresses after the `@`.
 * @param nodeKey signs invoices: 32 bytes in hex, the same on all instances.
 */
export function createBank(pool: Pool, domain: string, nodeKey: string): WalletBackend<User, 'SAT'> {
  const node = createECDH('secp256k1')
  node.setPrivateKey(nodeKey, 'hex')
  /** The calls that run, with the ids of their users. */
  const running = new Map<Slot, string>()

  async function userAt(db: Database, address: string): Promise<User> {
    const plain = address.toLowerCase().replace(/^\$/, '')
    const [name = ''] = plain.split('@', 1)
    const user = await userNamed(db, name)
    if (user !== undefined && plain === `${name}@${domain}`) return user
    throw new WalletError('NOT_FOUND', 'There is no such user here.')
  }

  /** A quote is an invoice of the receiver that this payer may execute. */
  async function createQuote(db: Database, payer: User, address: string, code: string, sats: bigint): Promise<string> {
    const receiver = await userAt(db, address)
    if (code !== SAT.code) throw new WalletError('OTHER', `This user receives ${SAT.code} only.`)
    if (receiver.id === payer.id) throw new WalletError('OTHER', 'This address is your own.')
    const terms = { amountMsats: sats * SAT_MSATS, expirySeconds: QUOTE_SECONDS, quotedTo: payer.id }
    return createInvoice(db, nodeKey, receiver, terms)
  }

  async function quoteOf(db: Database, payer: User, paymentHash: string): Promise<Quote<'SAT'>> {
    const quoted = await findInvoice(db, 'payment_hash = $1 and quoted_to = $2', paymentHash, payer.id)
    if (quoted === undefined) throw new WalletError('NOT_FOUND', 'There is no such quote.')
    const { createdAtSeconds, expiresAtSeconds, amountMsats } = quoted
    const totals = { totalSendingAmount: amountMsats / SAT_MSATS, totalReceivingAmount: amountMsats / SAT_MSATS }
    const price = { sendingCurrencyCode: SAT.code, receivingCurrency: SAT, multiplier: 1, fees: 0n }
    return { ...price, ...totals, paymentHash, createdAtSeconds, expiresAtSeconds }
  }

  return {
    ...createLogins(pool),

    admit({ userId }) {
      if ([...running.values()].filter((id) => id === userId).length >= CALLS_AT_ONCE)
        throw new WalletError('RATE_LIMITED', 'Too many calls at once.', { retryAfterSeconds: 1 })
      const slot: Slot = { release: () => void running.delete(slot) }
      running.set(slot, userId)
      return slot
    },

    getInfo: ({ name }) => ({
      // The user may have changed the name. Without `lud16`, /info shows the address of the sign-in.
      lud16: addressOf(name, domain),
      pubkey: node.getPublicKey('hex', 'compressed'),
      network: 'regtest',
      currencies: [{ code: 'SAT', multiplier: Number(SAT_MSATS), min: MIN_SATS, max: MAX_SATS }],
    }),

    // An upper bound of the debit. With fees or conversions, add the largest fee, and round up.
    estimateBudget: (_user, { sendingAmount }) => ({ budgetAmount: sendingAmount }),

    async getBalance({ id }) {
      const user = await first<{ msats: bigint }>(pool, 'select balance_msats as msats from users where id = $1', id)
      return { amount: (user?.msats ?? 0n) / SAT_MSATS, currencyCode: 'SAT' }
    },

    makeInvoice(user, terms, context) {
      const work: Work = (db) => createInvoice(db, nodeKey, user, terms)
      return once(pool, context, ['make_invoice', terms], work, async (db, hash) =>
        toTransaction((await findInvoice(db, 'payment_hash = $1', hash)) as Invoice, user),
      )
    },

    // Other users know the hash too: only payer and payee find the row.
    async lookupInvoice(user, { paymentHash }) {
      const invoice = await findInvoice(pool, 'payment_hash = $1 and $2 in (payee, payer)', paymentHash, user.id)
      return invoice && toTransaction(invoice, user)
    },

    payInvoice(user, { invoice, amountMsats }, context) {
      const work: Work = async (db) => settle(db, user, await findPayable(db, user, invoice, amountMsats))
      return once(pool, context, ['pay_invoice', invoice, amountMsats], work, (db, hash) => receiptOf(db, user, hash))
    },

    async lookupUser(_user, { receiverAddress, baseSendingCurrencyCode: base }) {
      await userAt(pool, receiverAddress)
      return [{ ...SAT, multiplier: base === undefined ? Number(SAT_MSATS) : 1, min: MIN_SATS, max: MAX_SATS }]
    },

    fetchQuote(user, request, context) {
      const { receiverAddress: address, receivingCurrencyCode: code, lockedAmount } = request
      const work: Work = (db) => createQuote(db, user, address, code, lockedAmount)
      return once(pool, context, ['fetch_quote', request], work, (db, hash) => quoteOf(db, user, hash))
    },

    executeQuote(user, { paymentHash }, context) {
      const work: Work = (db) => quoteOf(db, user, paymentHash).then(() => settle(db, user, paymentHash))
      return once(pool, context, ['execute_quote', paymentHash], work, (db, hash) => receiptOf(db, user, hash))
    },

    // Without a key, each call is a payment of its own.
    payToAddress(user, request, context) {
      const { receiverAddress: address, receivingCurrencyCode: code = SAT.code, sendingAmount } = request
      const work: Work = async (db) => settle(db, user, await createQuote(db, user, address, code, sendingAmount))
      return once(pool, context, ['pay_to_address', request], work, async (db, hash) => {
        return { ...(await receiptOf(db, user, hash)), quote: await quoteOf(db, user, hash) }
      })
    },
  }
}
