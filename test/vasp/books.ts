import type { Database } from '@/lib/platform/db/database'

interface PostingRow {
  readonly id: bigint
  readonly entry_id: bigint
  readonly account_id: bigint
  readonly currency_code: string
  readonly amount: bigint
  readonly balance_after: bigint | null
}
interface AccountRow {
  readonly id: bigint
  readonly currency_code: string
  readonly wallet_id: bigint | null
  readonly node_key: string | null
  readonly balance: bigint | null
}

/** Adds up the whole ledger independently of the SQL. Returns the differences: none when the books balance. */
export async function recomputeBooks(db: Database): Promise<string[]> {
  const postings = await db.query<PostingRow>({
    name: 'test_all_postings',
    text: 'select id, entry_id, account_id, currency_code, amount, balance_after from postings order by id',
  })
  const accounts = await db.query<AccountRow>({
    name: 'test_all_accounts',
    text: 'select id, currency_code, wallet_id, node_key, balance from ledger_accounts',
  })
  const entries = await db.query<{ id: bigint }>({ name: 'test_all_entries', text: 'select id from journal_entries' })
  const faults: string[] = []
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const ofEntry = new Map<string, bigint>()
  const ofCurrency = new Map<string, bigint>()
  const ofAccount = new Map<bigint, bigint>()
  for (const { id, entry_id, account_id, currency_code, amount, balance_after } of postings) {
    const account = byId.get(account_id)
    const balance = add(ofAccount, account_id, amount)
    add(ofEntry, `${entry_id} in ${currency_code}`, amount)
    add(ofCurrency, currency_code, amount)
    if (account?.currency_code !== currency_code) faults.push(`posting ${id} is not in its account’s currency`)
    const running = account?.wallet_id == null && account?.node_key == null ? null : balance
    if (balance_after !== running) faults.push(`posting ${id} carries ${String(balance_after)}, not ${String(running)}`)
    if (running !== null && running < 0n && account?.node_key == null)
      faults.push(`account ${account_id} was at ${running}`)
  }
  for (const [entry, sum] of ofEntry) if (sum !== 0n) faults.push(`entry ${entry} sums to ${sum}`)
  for (const [code, sum] of ofCurrency) if (sum !== 0n) faults.push(`all of ${code} sums to ${sum}`)
  const posted = new Set(postings.map(({ entry_id }) => entry_id))
  for (const { id } of entries) if (!posted.has(id)) faults.push(`entry ${id} is empty`)
  for (const { id, wallet_id, node_key, balance } of accounts) {
    const expected = wallet_id === null && node_key === null ? null : (ofAccount.get(id) ?? 0n)
    if (balance !== expected) faults.push(`account ${id} says ${String(balance)}, not ${String(expected)}`)
  }
  return faults
}

function add<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): bigint {
  const sum = (sums.get(key) ?? 0n) + amount
  sums.set(key, sum)
  return sum
}
