import { randomBytes } from 'node:crypto'
import { COMMANDS } from 'uma-auth-vasp'
import { readWallets, type WalletAccount } from '@/lib/ledger/accounts'
import { epochSeconds } from '@/lib/platform/clock'
import type { Database } from '@/lib/platform/db/database'
import { statement } from '@/lib/platform/db/statement'
import type { Identity } from '../../bench/instance'
import { newUser } from '../vasp/money'
import { makeTestVasp, type TestVasp } from '../vasp/vasp'

export interface User {
  readonly username: string
  readonly wallet: WalletAccount
  /** The token of a connection with all permissions. */
  readonly token: string
}

/** The users of a measurement, and their VASP without its HTTP server. */
export interface Cast {
  readonly vasp: TestVasp
  readonly users: readonly User[]
}

const PLENTY_MSATS = 10n ** 14n
const ALL = COMMANDS.map(({ name }) => name)

/** Creates `count` users with a large bitcoin balance and a connection each. */
export async function makeCast(
  db: Database,
  identity: Identity,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Cast> {
  const vasp = await makeTestVasp(
    db,
    {
      VASP_DOMAIN: identity.domain,
      NEXTAUTH_URL: identity.publicOrigin,
      LIGHTNING_NODE_KEY: identity.nodeSecretHex,
      ...env,
    },
    identity.pair,
  )
  const users: User[] = []
  for (let index = 0; index < count; index++) {
    const username = await newUser(vasp, { SAT: PLENTY_MSATS })
    const [wallet] = await readWallets(db, username)
    if (wallet === undefined) throw new Error('a user has no wallet')
    users.push({ username, wallet, token: await vasp.connectionToken(username, ALL) })
  }
  return { vasp, users }
}

const INSERT = statement(
  'bench_invoices',
  `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, created_at, expires_at)
         select hash, preimage, text, $4, $5, $6, '', to_timestamp($7::bigint), to_timestamp($7::bigint + 86400)
         from unnest($1::text[], $2::text[], $3::text[]) as made (hash, preimage, text)`,
)
const IN_ONE_STATEMENT = 500

export interface OpenInvoice {
  readonly invoice: string
  readonly paymentHash: string
}

/** Creates `count` open invoices of one user in a few statements. */
export async function makeInvoices(
  { vasp: { app } }: Cast,
  payee: User,
  count: number,
  amountMsats: bigint,
): Promise<OpenInvoice[]> {
  const made: OpenInvoice[] = []
  const now = epochSeconds(app.clock.now())
  while (made.length < count) {
    const preimages = Array.from({ length: Math.min(IN_ONE_STATEMENT, count - made.length) }, () => randomBytes(32))
    const terms = { amountMsats, expirySeconds: 86_400, purpose: { description: '' } }
    const some = await Promise.all(
      preimages.map(async (bytes) => {
        const preimage = bytes.toString('hex')
        const { invoice, paymentHash } = await app.node.signInvoice({ ...terms, preimageHex: preimage })
        return { invoice, paymentHash, preimage }
      }),
    )
    await app.db.query(INSERT, [
      some.map((each) => each.paymentHash),
      some.map((each) => each.preimage),
      some.map((each) => each.invoice),
      payee.username,
      payee.wallet.walletId,
      amountMsats,
      now,
    ])
    made.push(...some)
  }
  return made
}

/** Payments of invoices between the users, each once: every user pays and is paid. */
export async function makePayments(
  cast: Cast,
  count: number,
  amountMsats = 1_000n,
): Promise<{ readonly payer: User; readonly payee: User; readonly invoice: OpenInvoice }[]> {
  const { users } = cast
  const each = Math.ceil(count / users.length)
  const rounds: { payer: User; payee: User; invoice: OpenInvoice }[][] = []
  for (const [index, payee] of users.entries()) {
    const payer = users[(index + 7) % users.length] ?? payee
    rounds.push((await makeInvoices(cast, payee, each, amountMsats)).map((invoice) => ({ payer, payee, invoice })))
  }
  // In turn, so that adjacent entries of the list belong to different users.
  return Array.from({ length: each }, (_, round) => rounds.flatMap((some) => some[round] ?? [])).flat()
}
