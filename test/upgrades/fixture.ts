import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import { nodePublicKey } from '@/lib/lightning/node-key'
import type { Database } from '@/lib/platform/db/database'

export const FOLDER = join('test', 'upgrades')

/** What a fixture leaves open, and what the test does with it. Amounts are decimal texts. */
export interface Unfinished {
  /** An invoice that another user of the same VASP can pay. */
  readonly openInvoice: {
    readonly paymentHash: string
    readonly invoice: string
    readonly amountMsats: string
    readonly payee: string
    readonly payer: string
  }
  /** A payment that the node of the west has received. The VASP does not know its result. */
  readonly sendingPayment: {
    readonly paymentHash: string
    readonly preimage: string
    readonly amountMsats: string
    readonly payer: string
  }
}

/** `available + held` in ledger units, by user and currency. */
export type Balances = Readonly<Record<string, string>>

/** The contents of the JSON file next to the dump. */
export interface Expected extends Unfinished {
  /** Public keys of the nodes. */
  readonly nodes: { readonly north: string; readonly west: string }
  readonly balances: Balances
}

export interface Fixture {
  readonly version: string
  readonly sql: string
  readonly expected: Expected
}

/** All fixtures, the oldest version first. */
export function readFixtures(): Fixture[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => ({
      version,
      sql: readFileSync(join(FOLDER, `${version}.sql`), 'utf8'),
      expected: JSON.parse(readFileSync(join(FOLDER, `${version}.json`), 'utf8')) as Expected,
    }))
}

/**
 * The fixture with other node keys, because a repository holds no secret keys: the public keys are replaced, and the open
 * invoice is signed again.
 */
export function withNodeKeys(fixture: Fixture, secrets: { readonly north: string; readonly west: string }): Fixture {
  const { nodes, openInvoice } = fixture.expected
  const invoice = encodeInvoice({
    nodeSecretHex: secrets.north,
    network: 'regtest',
    paymentHash: openInvoice.paymentHash,
    paymentSecretHex: randomBytes(32).toString('hex'),
    amountMsats: BigInt(openInvoice.amountMsats),
    description: 'Bicycle',
    descriptionHash: undefined,
    createdAtSeconds: Math.floor(Date.now() / 1000),
    expirySeconds: 3_600,
  })
  const sql = fixture.sql
    .replaceAll(nodes.north, nodePublicKey(secrets.north))
    .replaceAll(nodes.west, nodePublicKey(secrets.west))
    .replaceAll(openInvoice.invoice, invoice)
  return { ...fixture, sql, expected: { ...fixture.expected, openInvoice: { ...openInvoice, invoice } } }
}

export async function readBalances(db: Database): Promise<Balances> {
  const text = `select w.user_id || ' ' || w.currency_code as name, a.balance || ' + ' || h.balance as amount
                from wallets w join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
                join ledger_accounts h on h.wallet_id = w.id and h.kind = 'held' order by w.user_id, w.position`
  const rows = await db.query<{ name: string; amount: string }>({ name: 'fixture_balances', text })
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]))
}
