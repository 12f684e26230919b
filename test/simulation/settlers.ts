import type { Database } from '@/lib/platform/db/database'
import type { HouseAccounts } from '@/lib/ledger/accounts'
import { isCurrencyCode } from '@/lib/money/currencies'
import { PEOPLE, makePapers } from './cast'
import type { Stage } from './operations'
import { accountsOf, type AccountRow, type WalletRow } from './rows'

// People with money and invoices on a real database, for many histories in a few statements: each history has its own
// people, so that nothing has to be cleared away between two of them.

export interface Settled {
  readonly stage: Stage
  /** What the database now has of these people, and the house's accounts. */
  readonly wallets: readonly WalletRow[]
  readonly accounts: readonly AccountRow[]
  readonly openings: readonly Opening[]
  readonly invoices: readonly SettledInvoice[]
}
export interface Opening {
  readonly key: string
  readonly faucet: bigint
  readonly account: bigint
  readonly amount: bigint
}
export interface SettledInvoice {
  readonly hash: string
  readonly preimage: string
  readonly text: string
  readonly username: string
  readonly walletId: bigint
  readonly amountMsats: bigint | null
}

export interface Wanted {
  readonly mark: string
  /** Which of the people's own invoices are written down. */
  readonly own: readonly number[]
}

/** Writes down the people of each history, their openings and their invoices, which last for an hour from `nowMs`. */
export async function settle(
  db: Database,
  house: HouseAccounts,
  histories: readonly Wanted[],
  nowMs: number,
): Promise<Settled[]> {
  const listed = histories.flatMap(({ mark }) =>
    Object.entries(PEOPLE).flatMap(([name, balances]) =>
      Object.keys(balances).map((code, position) => ({ username: `${name}-${mark}`, code, position })),
    ),
  )
  const wallets = await db.query<WalletRow>(
    {
      name: 'simulated_people',
      text: `with listed as (select * from unnest($1::text[], $2::text[], $3::int[]) as listed (username, code, position)),
                  people as (insert into users (id, display_name, password_hash)
                             select distinct username, 'Somebody', 'none' from listed returning id)
             insert into wallets (user_id, currency_code, position)
             select people.id, code, position from listed join people on people.id = username
             returning id, user_id, currency_code, position`,
    },
    [listed.map(({ username }) => username), listed.map(({ code }) => code), listed.map(({ position }) => position)],
  )
  const accounts = await db.query<AccountRow>(
    { name: 'simulated_accounts', text: accountsOf('select unnest($1::bigint[])') },
    [wallets.map(({ id }) => id)],
  )
  const available = new Map(
    accounts.filter(({ kind }) => kind === 'available').map(({ id, wallet_id }) => [wallet_id, id]),
  )
  const settled = histories.map(({ mark, own }): Settled => {
    const people = Object.keys(PEOPLE).map((name) => `${name}-${mark}`)
    const stage: Stage = { mark, people, ...makePapers(mark, people, nowMs) }
    const mine = wallets.filter(({ user_id }) => people.includes(user_id))
    const ids = new Set(mine.map(({ id }) => id))
    const openings = mine.flatMap(({ id, user_id: username, currency_code: code }): Opening[] => {
      const amount = PEOPLE[username.split('-')[0] ?? '']?.[code] ?? 0n
      const account = available.get(id)
      if (!isCurrencyCode(code) || account === undefined) throw new Error(`no account of ${username} in ${code}`)
      return amount === 0n
        ? []
        : [{ key: `opening:${username}:${code}`, faucet: house('faucet', code), account, amount }]
    })
    const invoices = own.map((place): SettledInvoice => {
      const paper = stage.own[place]
      const walletId = mine.find((each) => each.user_id === paper?.username && each.currency_code === paper.code)?.id
      if (paper === undefined || walletId === undefined) throw new Error(`nobody has invoice ${place}`)
      const { hash, preimage, text, username, amountMsats } = paper
      return { hash, preimage, text, username, walletId, amountMsats: amountMsats ?? null }
    })
    return {
      stage,
      wallets: mine,
      accounts: accounts.filter(({ wallet_id }) => wallet_id === null || ids.has(wallet_id)),
      openings,
      invoices,
    }
  })
  await openBalances(
    db,
    settled.flatMap(({ openings }) => openings),
  )
  await writeInvoices(
    db,
    settled.flatMap(({ invoices }) => invoices),
    nowMs,
  )
  return settled
}

async function openBalances(db: Database, openings: readonly Opening[]): Promise<void> {
  await db.query(
    {
      name: 'simulated_openings',
      text: `select entry_id, replayed
             from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as listed (key, faucet, account, amount),
                  post_entry('opening', key, array[faucet, account], array[-amount, amount])`,
    },
    [
      openings.map(({ key }) => key),
      openings.map(({ faucet }) => faucet),
      openings.map(({ account }) => account),
      openings.map(({ amount }) => amount),
    ],
  )
}

/** Which last for an hour from `nowMs`. */
export async function writeInvoices(db: Database, invoices: readonly SettledInvoice[], nowMs: number): Promise<void> {
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
