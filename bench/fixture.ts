import { writeFileSync } from 'node:fs'
import { makePasswords } from '@/lib/accounts/sign-in/passwords'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { newNodeSecret } from '../test/vasp/keys'
import type { World, WorldInput } from './fixture-contract'
import { loadEmbeddedHistory, loadHistory } from './history'
import { identityEnv } from './instance'
import { newPeers, type Side } from './peers'
import { makeCast, makeInvoices, makePayments, type Cast, type OpenInvoice, type User } from './users'

// Prepares the databases of two VASPs with the code of this commit. The bench starts it in the folder of each commit that it
// compares, so neither commit needs the tables of the other.

const USERS = 50
const PASSWORD = 'correct horse battery staple'
const AMOUNT_MSATS = 1_000n

const input = JSON.parse(process.argv[2] ?? '') as WorldInput
const { ours, theirs } = await newPeers()
const [ourEnv, theirEnv] = [envOf(ours, theirs), envOf(theirs, ours)]
const [ourDatabase, theirDatabase] = input.databases

const abroad = await withDatabase(theirDatabase, async (db) => {
  const cast = await makeCast(db, theirs.identity, USERS, theirEnv)
  const [payee] = cast.users
  if (payee === undefined) throw new Error('There is no payee.')
  return { users: cast.users, invoices: await makeInvoices(cast, payee, input.outgoing, AMOUNT_MSATS) }
})
const home = await withDatabase(ourDatabase, async (db) => {
  const everyone = await makeCast(db, ours.identity, USERS + 1, ourEnv)
  const cast: Cast = { ...everyone, users: everyone.users.slice(0, USERS) }
  const reader = everyone.users[USERS]
  if (reader === undefined) throw new Error('There is no reader.')
  await addHistory(db, everyone, reader)
  const setPassword = { name: 'bench_password', text: 'update users set password_hash = $2 where id = $1' }
  await db.query(setPassword, [reader.username, await makePasswords().hash(PASSWORD)])
  return { cast, reader, payments: await makePayments(cast, input.payments, AMOUNT_MSATS) }
})

const world: World = {
  servers: [serverOf(ours, ourEnv, ourDatabase), serverOf(theirs, theirEnv, theirDatabase)],
  instance: home.cast.vasp.app.settings.instance,
  privateKeyPem: ours.identity.pair.privatePem,
  tokens: home.cast.users.map(({ token }) => token),
  reader: { username: home.reader.username, password: PASSWORD, token: home.reader.token },
  payments: home.payments.map(({ payer, invoice }) => ({ token: payer.token, invoice: invoice.invoice })),
  outgoing: abroad.invoices.map(({ invoice }: OpenInvoice, index) => ({
    token: home.cast.users[index % USERS]?.token ?? '',
    invoice,
  })),
  addresses: abroad.users.map(({ username }) => `$${username}@${theirs.identity.domain}`),
}
writeFileSync(input.output, JSON.stringify(world))

function envOf(own: Side, other: Side): Record<string, string> {
  return {
    ...own.env,
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
    UMA_LOCAL_PEERS: other.identity.domain,
  }
}

function serverOf({ port, identity }: Side, env: Readonly<Record<string, string>>, database: string) {
  return { port, env: { ...identityEnv(identity), ...env, [databaseVariable()]: database } }
}

function databaseVariable(): 'DATABASE_URL' | 'DATA_DIR' {
  return input.engine === 'postgres' ? 'DATABASE_URL' : 'DATA_DIR'
}

async function withDatabase<Result>(database: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const [databaseUrl, dataDir] = input.engine === 'postgres' ? [database, ''] : [undefined, database]
  const db = await openDatabase({ databaseUrl, dataDir, log: () => {} })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function addHistory(db: Database, { vasp }: Cast, { username, wallet }: User): Promise<void> {
  const owner = { username, walletId: wallet.walletId, snapshotId: vasp.app.rates.current().snapshotId }
  if (input.engine === 'postgres') await loadHistory(ourDatabase, owner, input.historyRows)
  else await loadEmbeddedHistory(db, owner, input.historyRows)
}
