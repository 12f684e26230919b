import { CURRENCY_CODES, type CurrencyCode } from '@/lib/money/currencies'

export interface Person {
  readonly username: string
  readonly balances: Partial<Record<CurrencyCode, bigint>>
}

/** One thing that somebody tries. Numbers name a wallet or an invoice, counted round; a null amount is none. */
export type Operation =
  | { readonly kind: 'faucet'; readonly who: number; readonly wallet: number; readonly repeat: boolean }
  | {
      readonly kind: 'exchange'
      readonly who: number
      readonly from: number
      readonly to: number
      readonly amount: bigint
      readonly repeat: boolean
    }
  | { readonly kind: 'invoice'; readonly who: number; readonly wallet: number; readonly amount: bigint | null }
  | { readonly kind: 'pay'; readonly who: number; readonly invoice: number; readonly amount: bigint | null }
  | { readonly kind: 'rogue'; readonly who: number; readonly wallet: number; readonly amount: bigint }

interface ModelInvoice {
  readonly owner: string
  readonly code: CurrencyCode
  readonly amount: bigint | null
  paid?: { by: string; amount: bigint }
  /** The text of the real one, filled in when it was made. */
  invoice?: string
}

/**
 * Prices in msats as the currency list states them, written a second time so that a slip in one of them shows. Only the
 * currencies of the tests are here: a new line in the list needs none.
 */
const MSATS_FOR_UNIT: Partial<Record<CurrencyCode, readonly [bigint, bigint]>> = {
  SAT: [1n, 1n],
  USD: [10_000n, 1n],
  EUR: [250_000n, 23n],
  JPY: [500_000n, 77n],
  KWD: [1_000_000n, 307n],
}
const FAUCET_MSATS = 100_000_000n
const FULL_MSATS = 10_000_000_000n
const LARGEST_PAYMENT_MSATS = 10_000_000_000n

/** What every balance should be, in a few lines of arithmetic and with no database. */
export function makeModel(people: readonly Person[]): {
  readonly balances: ReadonlyMap<string, bigint>
  readonly invoices: ModelInvoice[]
  /** Whether the operation should be carried out; if so it is, here. */
  apply(operation: Operation, place: number): boolean
} {
  const balances = new Map(
    people.flatMap(({ username, balances: own }) =>
      Object.entries(own).map(([code, units]) => [`${username} ${code}`, units] as const),
    ),
  )
  const invoices: ModelInvoice[] = []
  const has = (username: string, code: CurrencyCode): bigint => balances.get(`${username} ${code}`) ?? 0n
  const add = (username: string, code: CurrencyCode, units: bigint): void =>
    void balances.set(`${username} ${code}`, has(username, code) + units)
  const codesOf = (person: Person): CurrencyCode[] =>
    CURRENCY_CODES.filter((code) => code in person.balances).toSorted(
      (a, b) => Object.keys(person.balances).indexOf(a) - Object.keys(person.balances).indexOf(b),
    )

  function pay(payer: Person, bill: ModelInvoice | undefined, asked: bigint | null): boolean {
    if (bill === undefined) return false
    if (bill.amount !== null && asked !== null && asked !== bill.amount) return false
    const msats = bill.amount ?? asked
    if (msats === null || msats > LARGEST_PAYMENT_MSATS) return false
    if (bill.paid !== undefined) return bill.paid.by === payer.username && bill.paid.amount === msats
    const credit = floor(msats, bill.code)
    const wallet = codesOf(payer).find((code) => has(payer.username, code) >= ceiling(msats, code))
    if (wallet === undefined || credit < 1n) return false
    bill.paid = { by: payer.username, amount: msats }
    if (payer.username === bill.owner && wallet === bill.code) return true
    add(payer.username, wallet, -ceiling(msats, wallet))
    add(bill.owner, bill.code, credit)
    return true
  }

  return {
    balances,
    invoices,
    apply(operation) {
      const person = people[operation.who]
      if (person === undefined) return false
      const { username } = person
      const codes = codesOf(person)
      const codeAt = (position: number): CurrencyCode => codes[position % codes.length] ?? 'SAT'
      switch (operation.kind) {
        case 'faucet': {
          const code = codeAt(operation.wallet)
          const units = wholeUnits(FAUCET_MSATS, code)
          if (has(username, code) + units > wholeUnits(FULL_MSATS, code)) return false
          add(username, code, units)
          return true
        }
        case 'exchange': {
          const [from, to] = [codeAt(operation.from), codeAt(operation.to)]
          const { amount } = operation
          if (from === to || amount < 1n || amount > has(username, from)) return false
          const [numerator, denominator] = MSATS_FOR_UNIT[from] ?? [0n, 1n]
          const arrives = floor((amount * numerator) / denominator, to)
          if (arrives < 1n) return false
          add(username, from, -amount)
          add(username, to, arrives)
          return true
        }
        case 'invoice': {
          const code = codeAt(operation.wallet)
          const amount = operation.amount !== null && operation.amount < 1n ? 1n : operation.amount
          if (amount !== null && (amount > LARGEST_PAYMENT_MSATS || floor(amount, code) < 1n)) return false
          invoices.push({ owner: username, code, amount })
          return true
        }
        case 'pay': {
          const asked = operation.amount !== null && operation.amount < 1n ? null : operation.amount
          return pay(person, invoices.length === 0 ? undefined : invoices[operation.invoice % invoices.length], asked)
        }
        case 'rogue':
          return false
      }
    },
  }
}

function floor(msats: bigint, code: CurrencyCode): bigint {
  const [numerator, denominator] = MSATS_FOR_UNIT[code] ?? [1n, 0n]
  return (msats * denominator) / numerator
}

function ceiling(msats: bigint, code: CurrencyCode): bigint {
  const [numerator, denominator] = MSATS_FOR_UNIT[code] ?? [1n, 0n]
  return (msats * denominator + numerator - 1n) / numerator
}

function wholeUnits(msats: bigint, code: CurrencyCode): bigint {
  return code === 'SAT' ? (msats / 1_000n) * 1_000n : floor(msats, code)
}
