import { createECDH } from 'node:crypto'
import type { Pool } from 'pg'
import { addressOf, WalletError, type Quote, type WalletBackend } from 'uma-auth-vasp'
import { transaction, type Database } from './database.ts'
import {
  createInvoice,
  findInvoice,
  MAX_SATS,
  MIN_SATS,
  SAT_MSATS,
  secondsOf,
  toTransaction,
  type Invoice,
} from './invoices.ts'
import { createLogins, type User } from './logins.ts'
import { findPayable, once, receiptOf, settle } from './payments.ts'

export const SAT = { code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 } as const
const QUOTE_SECONDS = 300

export interface BankParts {
  readonly pool: Pool
  /** The part of the users' addresses after the `@`. */
  readonly domain: string
  /** Signs invoices: 32 bytes in hex, the same on all instances. */
  readonly nodeKey: string
}

/** A bank whose users pay each other: balances, invoices and quotes in satoshis, without fees. */
export function createBank({ pool, domain, nodeKey }: BankParts): WalletBackend<User, 'SAT'> {
  const node = createECDH('secp256k1')
  node.setPrivateKey(nodeKey, 'hex')

  async function userAt(db: Database, address: string): Promise<User> {
    const [name, host] = address.toLowerCase().replace(/^\$/, '').split('@')
    const { rows } = await db.query<User>('select id, name from users where name = $1 and active', [name])
    if (host !== domain || rows[0] === undefined) throw new WalletError('NOT_FOUND', 'There is no such user here.')
    return rows[0]
  }

  /** A quote is an invoice of the receiver that only this payer may execute. */
  async function createQuote(db: Database, payer: User, address: string, code: string, sats: bigint): Promise<string> {
    const receiver = await userAt(db, address)
    if (code !== SAT.code) throw new WalletError('OTHER', `${address} receives ${SAT.code} only.`)
    if (receiver.id === payer.id) throw new WalletError('OTHER', 'This address is your own.')
    const terms = { amountMsats: sats * SAT_MSATS, expirySeconds: QUOTE_SECONDS, quotedTo: payer.id }
    return createInvoice(db, nodeKey, receiver, terms)
  }

  async function quoteOf(db: Database, payer: User, paymentHash: string): Promise<Quote<'SAT'>> {
    const { rows } = await db.query<Invoice>('select * from invoices where payment_hash = $1 and quoted_to = $2', [
      paymentHash,
      payer.id,
    ])
    if (rows[0] === undefined) throw new WalletError('NOT_FOUND', 'There is no such quote.')
    const sats = rows[0].amount_msats / SAT_MSATS
    return {
      sendingCurrencyCode: 'SAT',
      receivingCurrency: SAT,
      paymentHash,
      createdAtSeconds: secondsOf(rows[0].created_at),
      expiresAtSeconds: secondsOf(rows[0].expires_at),
      multiplier: 1,
      fees: 0n,
      totalSendingAmount: sats,
      totalReceivingAmount: sats,
    }
  }

  return {
    ...createLogins(pool),

    getInfo: ({ name }) => ({
      // The name may have changed since the sign-in. Without `lud16`, /info shows the address in the token.
      lud16: addressOf(name, domain),
      pubkey: node.getPublicKey('hex', 'compressed'),
      network: 'regtest',
      currencies: [{ code: 'SAT', multiplier: Number(SAT_MSATS), min: MIN_SATS, max: MAX_SATS }],
    }),

    // An upper bound of the debit. There are no fees and no conversion here: otherwise add the largest fee, and round up.
    estimateBudget: (_user, { sendingAmount }) => ({ budgetAmount: sendingAmount }),

    async getBalance({ id }) {
      const { rows } = await pool.query<{ balance_msats: bigint }>('select balance_msats from users where id = $1', [
        id,
      ])
      return { amount: (rows[0]?.balance_msats ?? 0n) / SAT_MSATS, currencyCode: 'SAT' }
    },

    makeInvoice: (user, terms, context) =>
      transaction(pool, async (db) => {
        const work = (): Promise<string> => createInvoice(db, nodeKey, user, terms)
        const invoice = await findInvoice(db, user, await once(db, context, ['make_invoice', terms], work))
        if (invoice === undefined) throw new Error('the invoice was not stored')
        return toTransaction(invoice, user)
      }),

    async lookupInvoice(user, { paymentHash }) {
      const invoice = await findInvoice(pool, user, paymentHash)
      return invoice && toTransaction(invoice, user)
    },

    payInvoice: (user, { invoice, amountMsats }, context) =>
      transaction(pool, async (db) => {
        const { payment_hash: stored, amount_msats: storedMsats } = await findPayable(db, invoice)
        if (amountMsats !== undefined && amountMsats !== storedMsats)
          throw new WalletError('OTHER', 'amount differs from the amount of the invoice.')
        const hash = await once(db, context, ['pay_invoice', stored], () => settle(db, user, stored))
        return receiptOf(db, user, hash)
      }),

    async listTransactions({ id }, { fromSeconds = 0, untilSeconds = Infinity, limit, offset, unpaid, type }) {
      const { rows } = await pool.query<Invoice>(
        `select * from invoices
         where (payee = $1 and $2::text is distinct from 'outgoing' or payer = $1 and $2 is distinct from 'incoming')
           and (settled_at is not null or $3 and quoted_to is null)
           and created_at between to_timestamp($4) and to_timestamp($5)
         order by created_at desc, payment_hash limit $6 offset $7`,
        [id, type, unpaid, fromSeconds, untilSeconds, limit, offset],
      )
      return rows.map((invoice) => toTransaction(invoice, { id }))
    },

    async lookupUser(_user, { receiverAddress, baseSendingCurrencyCode }) {
      await userAt(pool, receiverAddress)
      const multiplier = baseSendingCurrencyCode === undefined ? Number(SAT_MSATS) : 1
      return [{ ...SAT, multiplier, min: MIN_SATS, max: MAX_SATS }]
    },

    fetchQuote: (user, request, context) =>
      transaction(pool, async (db) => {
        const { receiverAddress, receivingCurrencyCode, lockedAmount } = request
        const work = (): Promise<string> => createQuote(db, user, receiverAddress, receivingCurrencyCode, lockedAmount)
        return quoteOf(db, user, await once(db, context, ['fetch_quote', request], work))
      }),

    executeQuote: (user, { paymentHash }, context) =>
      transaction(pool, async (db) => {
        await quoteOf(db, user, paymentHash)
        const hash = await once(db, context, ['execute_quote', paymentHash], () => settle(db, user, paymentHash))
        return receiptOf(db, user, hash)
      }),

    // Without a key, each call is a payment of its own.
    payToAddress: (user, request, context) =>
      transaction(pool, async (db) => {
        const { receiverAddress, receivingCurrencyCode = SAT.code, sendingAmount } = request
        const hash = await once(db, context, ['pay_to_address', request], async () =>
          settle(db, user, await createQuote(db, user, receiverAddress, receivingCurrencyCode, sendingAmount)),
        )
        return { ...(await receiptOf(db, user, hash)), quote: await quoteOf(db, user, hash) }
      }),
  }
}
