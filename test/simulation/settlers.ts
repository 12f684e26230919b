import type { HouseAccounts } from '@/lib/ledger/accounts'
import { isCurrencyCode } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import { makePapers, USERS, type Balances } from './cast'
import type { Stage } from './operations'

// Users with money and invoices, for many scenarios in a few statements. Each scenario has its own users.

export interface Wanted {
  readonly mark: string
  /** Which of the users' own invoices are stored. */
  readonly own: readonly number[]
}

interface WalletRow {
  readonly id: bigint
  readonly username: string
  readonly currency_code: string
  readonly account_id: bigint
}
interface StoredInvoice {
  readonly hash: string
  readonly preimage: string
  readonly text: string
  readonly username: string
  readonly walletId: bigint
  readonly amountMsats: bigint | null
}

/**
 * Stores the users of each scenario with their opening balances, and their invoices, which expire one hour after
 * `nowMs`.
 */
export async function settle(
  db: Database,
  house: HouseAccounts,
  scenarios: readonly Wanted[],
  nowMs: number,
  balances: Balances = USERS,
): Promise<Stage[]> {
  const listed = scenarios.flatMap(({ mark }) =>
    Object.entries(balances).flatMap(([name, units]) =>
      Object.entries(units).map(([code, amount], position) => ({
        username: `${name}-${mark}`,
        code,
        amount,
        position,
      })),
    ),
  )
  await db.query(
    {
      name: 'simulated_people',
      text: `with listed as (select * from unnest($1::text[], $2::text[], $3::int[]) as listed (username, code, position)),
                  people as (insert into users (id, display_name, password_hash)
                             select distinct username, 'Simulated', 'none' from listed returning id)
             insert into wallets (user_id, currency_code, position)
             select people.id, code, position from listed join people on people.id = username
             order by listed.username, position`,
    },
    [listed.map(({ username }) => username), listed.map(({ code }) => code), listed.map(({ position }) => position)],
  )
  const rows = await db.query<WalletRow>(
    {
      name: 'simulated_wallets',
      text: `select w.id, w.user_id as username, w.currency_code, a.id as account_id
             from wallets w join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
             where w.user_id = any($1)`,
    },
    [listed.map(({ username }) => username)],
  )
  const wallets = new Map(rows.map((row) => [`${row.username} ${row.currency_code}`, row]))
  const walletOf = (username: string, code: string): WalletRow => {
    const wallet = wallets.get(`${username} ${code}`)
    if (wallet === undefined) throw new Error(`${username} has no wallet in ${code}`)
    return wallet
  }
  const opened = listed.filter(({ amount }) => amount > 0n)
  await db.query(
    {
      name: 'simulated_openings',
      text: `select entry_id, replayed
             from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as listed (key, faucet, account, amount),
                  post_entry('opening', key, array[faucet, account], array[-amount, amount])`,
    },
    [
      opened.map(({ username, code }) => `opening:${username}:${code}`),
      opened.map(({ code }) => house('faucet', isCurrencyCode(code) ? code : 'SAT')),
      opened.map(({ username, code }) => walletOf(username, code).account_id),
      opened.map(({ amount }) => amount),
    ],
  )
  const stages = scenarios.map(({ mark }): Stage => {
    const users = Object.keys(balances).map((name) => `${name}-${mark}`)
    return { mark, users, ...makePapers(mark, users, nowMs) }
  })
  const invoices = stages.flatMap((stage, index) =>
    (scenarios[index]?.own ?? []).map((place): StoredInvoice => {
      const paper = stage.own[place]
      if (paper === undefined) throw new Error(`there is no invoice ${place}`)
      const { hash, preimage, text, username, code, amountMsats } = paper
      const { id: walletId } = walletOf(username, code)
      return { hash, preimage, text, username, walletId, amountMsats: amountMsats ?? null }
    }),
  )
  await writeInvoices(db, invoices, nowMs)
  return stages
}

/** The invoices expire one hour after `nowMs`. */
export async function writeInvoices(db: Database, invoices: readonly StoredInvoice[], nowMs: number): Promise<void> {
  await db.query(
    {
      name: 'simulated_invoices',
      text: `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, created_at, expires_at)
             select hash, preimage, invoice, username, wallet_id, amount_msats, to_timestamp($7::bigint),
                    to_timestamp($7::bigint) + interval '1 hour'
             from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
               as listed (hash, preimage, invoice, username, wallet_id, amount_msats)`,
    },
    [
      invoices.map(({ hash }) => hash),
      invoices.map(({ preimage }) => preimage),
      invoices.map(({ text }) => text),
      invoices.map(({ username }) => username),
      invoices.map(({ walletId }) => walletId),
      invoices.map(({ amountMsats }) => amountMsats),
      nowMs / 1000,
    ],
  )
}
