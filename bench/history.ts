import { Client } from 'pg'
import type { Database } from '@/lib/platform/db/database'

/** Runs several statements on one connection. */
type Run = (statements: readonly string[]) => Promise<void>

/**
 * Gives a user a history of `rows` rows, half of them invoices and half payments: the user has paid each invoice from the
 * wallet that it credits. Such payments move no money, so the books balance without a posting, and the audit finds nothing
 * wrong. The rows are loaded with the triggers off, because the triggers would take an hour; the columns' checks stay on.
 */
async function load(run: Run, user: { username: string; walletId: bigint; snapshotId: string }, rows: number) {
  const { username, walletId, snapshotId } = user
  // Our own names and hashes, which contain no quotes.
  const made = `(select n, encode(sha256(convert_to('${username} ' || n, 'UTF8')), 'hex') as preimage from generate_series(1, ${rows / 2}) n) made`
  const hash = `encode(sha256(decode(preimage, 'hex')), 'hex')`
  const at = `now() - n * interval '2 seconds'`
  await run([
    `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, created_at, expires_at, settled_at, received_msats)
     select ${hash}, preimage, 'lnbcrt1' || preimage, '${username}', ${walletId}, 1000, 'Entry ' || n, ${at}, ${at} + interval '1 hour', ${at}, 1000
     from ${made}`,
    `insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, description, state, preimage, created_at, expires_at, settled_at)
     select ${hash}, 'lnbcrt1' || preimage, '${username}', ${walletId}, 1000, 1000, '${snapshotId}', 'Entry ' || n, 'succeeded', preimage, ${at}, ${at} + interval '1 hour', ${at}
     from ${made}`,
  ])
}

/** Writes to a PostgreSQL server as a superuser, while the server is in use. */
export async function loadHistory(
  databaseUrl: string,
  user: { readonly username: string; readonly walletId: bigint; readonly snapshotId: string },
  rows: number,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    await load(
      async (statements) => {
        for (const statement of statements) await client.query(statement)
      },
      user,
      rows,
    )
    await client.query('vacuum analyze invoices, payments')
  } finally {
    await client.end()
  }
}

/** Writes to the embedded database while no server has it open. */
export async function loadEmbeddedHistory(
  db: Database,
  user: { readonly username: string; readonly walletId: bigint; readonly snapshotId: string },
  rows: number,
): Promise<void> {
  const MAX_MS = 20 * 60_000
  await load(
    (statements) =>
      db.prisma.$transaction(
        async (tx) => {
          await tx.$executeRawUnsafe('set local session_replication_role = replica')
          for (const statement of statements) await tx.$executeRawUnsafe(statement)
        },
        { timeout: MAX_MS },
      ),
    user,
    rows,
  )
  await db.prisma.$executeRawUnsafe('analyze invoices, payments')
}
