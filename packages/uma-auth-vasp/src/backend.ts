import type { CommandName } from './commands.ts'
import type { TokenClaims } from './tokens.ts'

/**
 * The interface that a bank implements. The package uses nothing else of the bank.
 *
 * - `Caller` is the type of the value that `connections.open` returns: an object. Every command method receives that value.
 * - `Code` is the union of the currency codes given to `createUmaAuthVasp`.
 * - The package does not advertise a method that is left out, and answers 501 for it. `getInfo` and `estimateBudget` are required
 *   (specification, API endpoints).
 * - Amounts are bigints in the unit that their name or comment states. The package rounds no amount.
 * - To refuse a call, throw `WalletError`. If the outcome of a payment is unknown, throw `PaymentPending`. Any other error
 *   is logged and answered with 500 INTERNAL, without its text. From a method that pays it is answered with 504 instead, and so is a
 *   value that the API cannot express: a gateway books 500 as "nothing was paid".
 * - `logins`, `connections` and `admit` decide whether a call is let in. Only the answers that are named here count. Anything else is
 *   logged and answered with 500, and so is an answer that does not come within ten seconds (`callbackTimeoutSeconds`).
 */
export interface WalletBackend<
  Caller extends object = object,
  Code extends string = string,
  S extends Slot = Slot,
> extends CommandMethods<Caller, Code, S> {
  readonly logins: {
    /**
     * Stores a login, before its token is sent to the gateway. Two simultaneous calls with one id must create one login: a primary key
     * does. `already-created` answers the browser with 400, so that one sign-in request is finished once. When the session has ended in
     * the meantime, throw `WalletError('UNAUTHORIZED', …)`: no token is issued.
     */
    create(login: NewLogin): Promise<'created' | 'already-created'>
    /**
     * State of the login behind a verified login token: `open`, `closed` (401: the user is suspended or the login has ended), or
     * `unknown-user` (404).
     */
    find(claims: TokenClaims): Promise<'open' | 'closed' | 'unknown-user'>
  }
  readonly connections: {
    /**
     * Stores a connection. Two simultaneous calls for one login must not exceed the bank's limit on connections per login:
     * `login-used-up` answers 429, `login-closed` 401. For a limit on connections per user, throw `WalletError('RATE_LIMITED', …)`:
     * its text is the answer's `error`.
     */
    create(connection: NewConnection): Promise<'created' | 'login-used-up' | 'login-closed'>
    /**
     * Loads the caller of a connection. Called once per request, after the signature check and `admit`. Check here,
     * on every call, that the token has not been revoked and its user is active. Login tokens arrive too (`claims.use`), for `/info`.
     * @returns an object, or undefined when the token is no longer valid: 401. Anything else is 401 too, and logged: `null`, `false`
     *   and an array are what database libraries answer for "no row".
     */
    open(claims: TokenClaims, slot: S): Promise<Caller | undefined>
  }
  /**
   * The commands that this caller may use, where they differ from user to user. `/info` lists only these, and any other is 403. The
   * commands that every connection has (`alwaysGranted()`) need not be named. Called once per call, after `connections.open`.
   */
  readonly commandsOf?: ((caller: Caller) => Promise<readonly CommandName[]> | readonly CommandName[]) | undefined
  /**
   * Called after the signature check, before any read of the backend. Throw `WalletError('RATE_LIMITED', …)` to refuse, or wait for a
   * free slot. The package releases the slot when the call ends; a method that starts to wait for another party (a Lightning
   * payment, another VASP) releases it first.
   * @returns the slot, or undefined when there are no slots. Anything else refuses the call with 500, before any work.
   */
  readonly admit?: ((claims: TokenClaims) => Promise<Admitted<S>> | Admitted<S>) | undefined
}

/** Undefined only where `Slot` suffices: a method that needs more of its slot must get one. */
export type Admitted<S extends Slot> = S | (Slot extends S ? undefined : never)

/** One of the bank's slots for concurrent calls. */
export interface Slot {
  /** Called at least once. Calls after the first must do nothing. It is not awaited, and its errors are only logged. */
  release(): void
}

export interface NewLogin {
  /** The id of the sign-in request, and the token's `jti`. */
  readonly id: string
  /** `id` of the `LoginUser`. */
  readonly userId: string
  /** The UMA address that the login connects. */
  readonly address: string
  readonly expiresAtSeconds: number
  /** The `sessionId` that the operator passed to `login.finish`. */
  readonly sessionId: string | undefined
  /** Claimed by the request, not verified: show it as such. */
  readonly appHost: string | undefined
  readonly clientId: string | undefined
}

export interface NewConnection {
  /** The token's `jti`. */
  readonly id: string
  readonly loginId: string
  readonly userId: string
  /** That of the login. */
  readonly address: string | undefined
  /** Command names in the order of the table. */
  readonly permissions: readonly string[]
  readonly expiresAtSeconds: number | undefined
}

/** Data of the call other than its input. */
export interface CallContext<S extends Slot = Slot> {
  /** The value of the response's `X-Request-Id`. */
  readonly requestId: string
  readonly claims: TokenClaims
  /**
   * The header `Idempotency-Key`, 1 to 200 printable characters: of each method that can move money or create something (`makeInvoice`,
   * `payInvoice`, `payKeysend`, `fetchQuote`, `executeQuote`, `payToAddress`). A repeated request with the same key and connection is
   * the same payment. Gateways send none, so an invoice and a quote must be paid once without a key too.
   */
  readonly idempotencyKey: string | undefined
  /** Aborts when the client disconnects. Never cancel a payment in progress because of it. */
  readonly signal: AbortSignal | undefined
  readonly slot: S
}

type Method<Caller, S extends Slot, Input, Result> = (
  caller: Caller,
  input: Input,
  context: CallContext<S>,
) => Promise<Result> | Result

/** One method for each command. */
export interface CommandMethods<Caller, Code extends string, S extends Slot> {
  /** `GET /info`, which accepts a login token too. */
  readonly getInfo: Method<Caller, S, NoInput, Info<Code>>
  /** `GET /budget_estimate`, the command `get_budget`: the maximum debit for this amount, fees included. */
  readonly estimateBudget: Method<Caller, S, BudgetQuestion<Code>, Estimate>
  /** `GET /balance` */
  readonly getBalance?: Method<Caller, S, BalanceQuestion<Code>, Balance<Code>> | undefined
  /** `POST /invoice` */
  readonly makeInvoice?: Method<Caller, S, InvoiceTerms, Transaction> | undefined
  /** `GET /invoices/{payment_hash}`: the user's own invoice or payment. Return undefined for 404, also for another user's hash. */
  readonly lookupInvoice?: Method<Caller, S, HashInput, Transaction | undefined> | undefined
  /** `GET /transactions`: newest first. The package shortens a page that is too large for one Nostr message. */
  readonly listTransactions?: Method<Caller, S, HistoryFilter, readonly Transaction[]> | undefined
  /**
   * `POST /payments/bolt11`. Paying the same invoice again returns the stored preimage and moves no money.
   *
   * The text is an attacker's input: it may name the payment hash of another invoice with another amount and a right checksum.
   * Find an invoice of your own by its hash, compare the whole text with the stored one, and read the amount from your own row. For an
   * invoice of another node, have your node verify the signature, and pay and debit what it has decoded.
   */
  readonly payInvoice?: Method<Caller, S, InvoicePayment<Code>, Payment> | undefined
  /** `POST /payments/keysend` */
  readonly payKeysend?: Method<Caller, S, KeysendPayment<Code>, Payment> | undefined
  /** `GET /receiver/lud16/{receiver_address}` */
  readonly lookupUser?: Method<Caller, S, ReceiverQuestion<Code>, readonly ReceiverCurrency[]> | undefined
  /** `GET /quote/lud16` */
  readonly fetchQuote?: Method<Caller, S, QuoteRequest<Code>, Quote<Code>> | undefined
  /**
   * `POST /quote/{payment_hash}`. A paid quote returns the stored preimage and moves no money. `budgetCurrencyCode` is undefined when the
   * gateway names none: the total is then in the sending currency of the quote.
   */
  readonly executeQuote?:
    Method<Caller, S, HashInput & { readonly budgetCurrencyCode: Code | undefined }, Payment> | undefined
  /** `POST /payments/lud16` */
  readonly payToAddress?: Method<Caller, S, AddressPayment<Code>, Payment & { readonly quote: Quote<Code> }> | undefined
}

export type NoInput = Readonly<Record<string, never>>

export interface Info<Code extends string> {
  /** The user's current UMA address; when absent, the one in the token. */
  readonly lud16?: string | undefined
  /** Name of the wallet; the VASP's name when absent. */
  readonly alias?: string | undefined
  /** `#RRGGBB`; black when absent. */
  readonly color?: string | undefined
  /** Public key of the Lightning node, hex; empty without one. */
  readonly pubkey: string
  readonly network: 'mainnet' | 'testnet' | 'signet' | 'regtest'
  /** In order of preference: the first is the user's default. At least one. */
  readonly currencies: readonly CurrencyOffer<Code>[]
}

export interface CurrencyOffer<Code extends string> {
  readonly code: Code
  /** Millisatoshis per smallest unit. */
  readonly multiplier: number
  /** Smallest and largest amount of one payment, in smallest units, at least 1. */
  readonly min: bigint
  readonly max: bigint
}

export interface BudgetQuestion<Code extends string> {
  readonly sendingCurrencyCode: Code
  /** Smallest units of the sending currency. */
  readonly sendingAmount: bigint
  readonly budgetCurrencyCode: Code
}

export interface Estimate {
  /** Smallest units of the budget currency, at least 1. Round up. */
  readonly budgetAmount: bigint
}

export interface BalanceQuestion<Code extends string> {
  /** Undefined: the user's default currency. */
  readonly currencyCode: Code | undefined
}

export interface Balance<Code extends string> {
  /**
   * Available money in smallest units of `currencyCode`, or millisatoshis when it is undefined. Round down. An overdraft is sent as 0,
   * and logged.
   */
  readonly amount: bigint
  readonly currencyCode: Code | undefined
}

export interface InvoiceTerms {
  readonly amountMsats: bigint
  readonly description: string | undefined
  /** 64 hex digits in lower case. */
  readonly descriptionHash: string | undefined
  /** Undefined: one hour. */
  readonly expirySeconds: number | undefined
}

export interface HashInput {
  /** 64 hex digits in lower case. */
  readonly paymentHash: string
}

export interface HistoryFilter {
  /** Time of creation, inclusive. */
  readonly fromSeconds: number | undefined
  readonly untilSeconds: number | undefined
  readonly limit: number
  readonly offset: number
  /** Includes open invoices and pending payments. */
  readonly unpaid: boolean
  readonly type: 'incoming' | 'outgoing' | undefined
}

/** In a list, an entry that the API cannot express, such as one of 0 millisatoshis, is left out and logged with its hash. */
export interface Transaction {
  readonly type: 'incoming' | 'outgoing'
  readonly paymentHash: string
  /** At least 1. */
  readonly amountMsats: bigint
  readonly feesPaidMsats: bigint | null
  readonly invoice: string | null
  readonly description: string | null
  readonly descriptionHash: string | null
  /** Null until settled. */
  readonly preimage: string | null
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number | null
  readonly settledAtSeconds: number | null
  /**
   * Any JSON object for the app, with nothing that only the bank may know. This repository's bank sends for a keysend `{ destination,
   * tlv_records: [{ type, value }] }`: the public key, and the records as in `KeysendPayment`, with values in hex.
   */
  readonly metadata: Readonly<Record<string, unknown>> | null
}

export interface InvoicePayment<Code extends string> {
  /**
   * BOLT-11 text, not decoded and not verified: an attacker's input, see `payInvoice`. Its case and a `lightning:` before it are the
   * app's. The request names no wallet: the bank chooses which one pays.
   */
  readonly invoice: string
  /** For invoices without an amount. */
  readonly amountMsats: bigint | undefined
  /** When the gateway names none: `SAT`, or undefined where it is none of the VASP's currencies. Then total and wallet have one currency. */
  readonly budgetCurrencyCode: Code | undefined
}

export interface KeysendPayment<Code extends string> {
  readonly amountMsats: bigint
  /** 33 bytes compressed, hex in lower case. The package does not check that it is a point on the curve. */
  readonly pubkey: string
  /** Undefined: the bank creates one. */
  readonly preimage: string | undefined
  /** Without the record that carries the preimage. Values are hex in lower case. */
  readonly records: readonly { readonly type: number; readonly value: string }[]
  /** When the gateway names none: `SAT`, or undefined where it is none of the VASP's currencies. */
  readonly budgetCurrencyCode: Code | undefined
}

export interface Payment {
  /** 64 hex digits: the receipt. */
  readonly preimage: string
  /**
   * Total debit of the budget: smallest units of the budget currency, fees included, at least 1. Round up. A repeated call may name
   * another budget currency: convert the stored debit at the rates of the payment.
   */
  readonly totalBudgetAmount: bigint
}

export interface ReceiverQuestion<Code extends string> {
  /** The UMA or Lightning address from the request, decoded. */
  readonly receiverAddress: string
  /** Undefined: multipliers in millisatoshis. */
  readonly baseSendingCurrencyCode: Code | undefined
}

/**
 * A receiver's currency, which may be unknown to this VASP. One that the API cannot express, such as a code of four characters, is left
 * out of the answer and logged.
 */
export interface ReceiverCurrency extends Currency {
  /** Millisatoshis, or smallest units of the base currency, per smallest unit. */
  readonly multiplier: number
  /** Smallest and largest amount that the receiver takes, in smallest units of this currency. */
  readonly min: bigint
  readonly max: bigint
}

export interface QuoteRequest<Code extends string> {
  readonly sendingCurrencyCode: Code
  readonly receivingCurrencyCode: string
  /** Smallest units of the locked side's currency. On the sending side it includes the fees: it is the quote's `totalSendingAmount`. */
  readonly lockedAmount: bigint
  readonly lockedSide: 'sending' | 'receiving'
  readonly receiverAddress: string
}

export interface Quote<Code extends string> {
  readonly sendingCurrencyCode: Code
  readonly receivingCurrency: Currency
  readonly paymentHash: string
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number
  /** Smallest units of the sending currency per smallest unit of the receiving currency, without fees. No amount is computed from it. */
  readonly multiplier: number
  /** Smallest units of the sending currency, a part of `totalSendingAmount`. */
  readonly fees: bigint
  readonly totalSendingAmount: bigint
  readonly totalReceivingAmount: bigint
}

export interface AddressPayment<Code extends string> {
  readonly receiverAddress: string
  readonly sendingCurrencyCode: Code
  /** Smallest units, fees included. */
  readonly sendingAmount: bigint
  /** Undefined: the receiver's first currency. */
  readonly receivingCurrencyCode: string | undefined
  /** The sending currency when the gateway names none. */
  readonly budgetCurrencyCode: Code
}

/** A currency that wallets of this VASP can hold. Amounts on the API are whole numbers of its smallest unit. */
export interface Currency<Code extends string = string> {
  /** At most three characters: ISO 4217, or `SAT` for bitcoin in whole satoshis. */
  readonly code: Code
  readonly symbol: string
  readonly name: string
  /** Decimal places of the smallest unit: 2 for USD, 0 for JPY and SAT. */
  readonly decimals: number
}
