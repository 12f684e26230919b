import { SEED } from '../runners/chance'
import type { Breach } from './invariants'
import type { Books } from './rows'

/**
 * The information that a developer needs to investigate a failure: how to reproduce it, what happened, and which
 * figures differ.
 */
export function reportOf(failure: {
  /** Repeats the failure. */
  readonly command: string
  readonly breach: Breach
  readonly trace: readonly string[]
}): string {
  const { command, breach, trace } = failure
  return [
    breach.message,
    `Seed ${SEED}. This command repeats it:`,
    command,
    'What happened:',
    ...trace.map((line) => `  ${line}`),
    'The ledger then:',
    ...(breach.books === undefined ? [] : ledgerOf(breach.books)),
  ].join('\n')
}

/** Each account with the sum of its postings, and each payment with its entries; a star where they differ. */
export function ledgerOf({ wallets, accounts, entries, postings, payments, invoices, receipts }: Books): string[] {
  const owner = new Map(wallets.map((each) => [each.id, each.user_id]))
  const lines: string[] = []
  for (const { id, kind, currency_code, wallet_id, balance } of accounts) {
    const mine = postings.filter((each) => each.account_id === id)
    if (mine.length === 0) continue
    const sum = mine.reduce((total, { amount }) => total + amount, 0n)
    const whose = wallet_id === null ? 'house' : owner.get(wallet_id)
    const differs = balance !== null && wallet_id !== null && balance !== sum ? '  * differs' : ''
    lines.push(`  ${whose} ${currency_code} ${kind}: ${balance ?? sum}, postings ${sum}${differs}`)
  }
  for (const each of payments) {
    const steps = entries.filter((entry) => entry.payment_id === each.id).map(({ kind }) => kind)
    lines.push(
      `  payment ${each.id} of ${each.user_id}: ${each.state}${each.failure === null ? '' : ` (${each.failure})`}, ${each.amount_msats} msats, debit ${each.debit}, hash ${each.payment_hash.slice(0, 8)}, entries ${steps.join(' ')}`,
    )
  }
  for (const each of invoices)
    if (each.settled) lines.push(`  invoice ${each.id} of ${each.user_id}: got ${String(each.credited)}`)
  for (const each of receipts)
    lines.push(`  receipt ${each.id}: ${each.amount_msats} msats for invoice ${String(each.invoice_id)}`)
  return lines
}
