import { createBatchLoader } from '../batch-loader'
import type { Database, Statement } from '../db/database'
import { billAsJson, toOwnInvoice, type BillJson, type OwnInvoice } from './bill'
import { nameInvoice, type NamedInvoice } from './named-invoice'

const OWN_INVOICES: Statement = {
  name: 'own_invoices',
  text: `select wanted.index, ${billAsJson('wanted.hash', 'wanted.invoice', 'wanted.username')} as bill
         from unnest((select $1::text[]), (select $2::text[]), (select $3::text[])) with ordinality
                as wanted (hash, invoice, username, index)`,
}

interface Key {
  readonly named: NamedInvoice
  readonly username: string
}

/**
 * Finds an invoice of this VASP by its text, letter for letter, with its state for this user, without decoding it. Undefined for
 * every other text.
 */
export type LoadOwnInvoice = (invoice: string, username: string) => Promise<OwnInvoice | undefined>

export function makeLoadOwnInvoice(db: Database): LoadOwnInvoice {
  const load = createBatchLoader((keys: readonly Key[]) => readOwnInvoices(db, keys))
  return async (invoice, username) => {
    const named = nameInvoice(invoice)
    return named === undefined ? undefined : load({ named, username })
  }
}

async function readOwnInvoices(db: Database, keys: readonly Key[]): Promise<(OwnInvoice | undefined)[]> {
  const rows = await db.query<{ index: bigint; bill: BillJson | null }>(OWN_INVOICES, [
    keys.map(({ named }) => named.paymentHash),
    keys.map(({ named }) => named.invoice),
    keys.map(({ username }) => username),
  ])
  const bills = new Map(rows.map(({ index, bill }) => [Number(index) - 1, bill]))
  return keys.map(({ named }, index) => {
    const bill = bills.get(index)
    return bill == null ? undefined : toOwnInvoice(named, bill)
  })
}
