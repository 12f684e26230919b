import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createInvoice, type CreatedInvoice } from '@/lib/invoices/service'
import { readWallets, type WalletAccount } from '@/lib/ledger/accounts'
import { postEntry } from '@/lib/ledger/entry'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import type { TestVasp } from './vasp'

/** A new user for this test only, with the given balances in ledger units, in this order of preference. */
export async function newUser(vasp: TestVasp, balances: Partial<Record<CurrencyCode, bigint>>): Promise<string> {
  const { db, house } = vasp.app
  const username = `p${randomUUID().slice(0, 13)}`
  const codes = Object.keys(balances)
  await db.query(
    {
      name: 'test_person',
      text: `with person as (
               insert into users (id, display_name, password_hash) values ($1, 'Somebody', 'none') returning id
             )
             insert into wallets (user_id, currency_code, position)
             select person.id, code, place - 1 from person, unnest($2::text[]) with ordinality as listed (code, place)`,
    },
    [username, codes],
  )
  for (const wallet of await readWallets(db, username)) {
    const amount = balances[wallet.code] ?? 0n
    if (amount === 0n) continue
    await postEntry(db, {
      kind: 'opening',
      key: `opening:${username}:${wallet.code}`,
      lines: [
        { accountId: house('faucet', wallet.code), amount: -amount },
        { accountId: wallet.accountId, amount },
      ],
    })
  }
  return username
}

export async function walletOf(db: Database, username: string, code: CurrencyCode): Promise<WalletAccount> {
  const wallet = (await readWallets(db, username)).find((each) => each.code === code)
  if (wallet === undefined) throw new Error(`${username} has no wallet in ${code}`)
  return wallet
}

/** An invoice that credits the user's wallet of a currency. Without an amount the payer chooses. */
export async function invoiceOf(
  vasp: TestVasp,
  username: string,
  code: CurrencyCode,
  amountMsats?: bigint,
): Promise<CreatedInvoice> {
  const wallet = await walletOf(vasp.app.db, username, code)
  return createInvoice(vasp.app, { username, wallet, amountMsats })
}

/** All balances and row counts: two equal results mean that no money moved. */
export async function booksOf(db: Database): Promise<unknown> {
  const [books] = await db.query({
    name: 'test_books',
    text: `select (select json_agg(json_build_array(id, kind, currency_code, wallet_id, balance::text) order by id) from ledger_accounts) as accounts,
                  (select json_agg(json_build_array(id, user_id, currency_code) order by id) from wallets) as wallets,
                  (select count(*) from journal_entries) as entries, (select count(*) from postings) as postings,
                  (select sum(hashtext(postings::text)) from postings) as lines,
                  (select sum(hashtext(invoices::text)) from invoices) as invoices,
                  (select sum(hashtext(payments::text)) from payments) as payments,
                  (select sum(hashtext(rate_snapshots::text)) from rate_snapshots) as rates`,
  })
  return books
}

/** Asserts that `work` wrote nothing: no posting, no invoice, no payment. */
export async function expectNothingMoved(db: Database, work: () => Promise<unknown>): Promise<void> {
  const before = await booksOf(db)
  await work()
  expect(await booksOf(db)).toEqual(before)
}
