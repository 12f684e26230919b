import { createHash, randomBytes } from 'node:crypto'
import { openNodeAccounts } from '@/lib/ledger/accounts'
import type { CreditPlanner } from '@/lib/lightning/credit-planner'
import type { NodeEvent, OutgoingPayment } from '@/lib/lightning/node'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { makeNodeKey } from '@/lib/lightning/simulated-node/keys'
import { PATHS } from '@/lib/lightning/simulated-node/messages'
import { makeSimulatedNode, type SimulatedNode, type SimulatedNodeParts } from '@/lib/lightning/simulated-node/node'
import type { Post } from '@/lib/lightning/simulated-node/peer-client'
import { answerText, HEADERS, requestText, type SignedRequest } from '@/lib/lightning/simulated-node/signature'
import { systemClock, type Clock } from '@/lib/platform/clock'
import type { Database } from '@/lib/platform/db/database'
import { newNodeSecret } from '../vasp/keys'
import { invoiceOf, newUser, walletOf } from '../vasp/money'
import { makeTestVasp, type TestVasp } from '../vasp/vasp'

/** The record that names the user of a keysend. */
export const USER_RECORD = 696_969

/** A node that pays, and a VASP that it pays: a user, a node, and the payer's account. */
export interface Pair {
  readonly payer: SimulatedNode
  readonly payee: SimulatedNode
  readonly payerSecret: string
  readonly payeeSecret: string
  readonly payeeOrigin: string
  readonly vasp: TestVasp
  /** The user whose SAT wallet is paid. */
  readonly user: string
  /** Carries the payer's calls; replaced to inject faults. */
  wire: Post
  /** Carries the payer's requests for totals. */
  statementWire: Post
  /** The payer's other calls, newest last. */
  readonly requests: Request[]
  readonly heard: { readonly payer: NodeEvent[]; readonly payee: NodeEvent[] }
  /** Another process of the payer, with its own database handle. */
  sibling(db: Database, secretHex?: string): SimulatedNode
  /** Another process of the payee: with another database handle, another origin, or more peers. */
  payeeWith(parts: {
    readonly db?: Database
    readonly publicOrigin?: string
    readonly morePeers?: readonly string[]
    readonly clock?: Clock
    readonly rateLimits?: boolean
    readonly onMessage?: SimulatedNodeParts['onMessage']
    readonly isHeld?: SimulatedNodeParts['isHeld']
  }): SimulatedNode
}

export interface PairOptions {
  readonly payerDb: Database
  readonly payeeDb: Database
  readonly peerLimitMsats?: bigint
  readonly payerClock?: Clock
  /** An existing VASP that another node pays. */
  readonly vasp?: { readonly vasp: TestVasp; readonly secretHex: string }
}

export async function makePair(options: PairOptions): Promise<Pair> {
  const { payerDb, payeeDb, peerLimitMsats = 1_000_000_000n, payerClock = systemClock } = options
  const payerSecret = newNodeSecret()
  const payeeSecret = options.vasp?.secretHex ?? newNodeSecret()
  const vasp = options.vasp?.vasp ?? (await makeTestVasp(payeeDb, { LIGHTNING_NODE_KEY: payeeSecret }))
  const payeeOrigin = vasp.app.settings.publicOrigin
  const payerKey = nodePublicKey(payerSecret)
  const { log } = vasp.app
  const payeeWith: Pair['payeeWith'] = ({
    db = payeeDb,
    publicOrigin = payeeOrigin,
    morePeers = [],
    clock = systemClock,
    rateLimits = false,
    onMessage,
    isHeld,
  }) =>
    makeSimulatedNode({
      secretHex: payeeSecret,
      onMessage,
      isHeld,
      peers: [payerKey, ...morePeers].map((publicKeyHex) => ({ publicKeyHex, origin: 'http://payer.test' })),
      db,
      clock,
      publicOrigin,
      peerLimitMsats,
      creditPlanner: creditPlannerOf(db),
      log,
      rateLimits,
    })
  const payee = payeeWith({})
  const requests: Request[] = []
  const sibling = (db: Database, secretHex = payerSecret): SimulatedNode =>
    makeSimulatedNode({
      secretHex,
      peers: [{ publicKeyHex: payee.identity.publicKeyHex, origin: payeeOrigin }],
      db,
      clock: payerClock,
      publicOrigin: 'http://payer.test',
      peerLimitMsats,
      creditPlanner: { planCredit: () => Promise.resolve({ failure: 'unknown' }) },
      log,
      rateLimits: false,
      post: (url, init) => {
        if (url.endsWith(PATHS.statement)) return pair.statementWire(url, init)
        requests.push(new Request(url, init))
        return pair.wire(url, init)
      },
    })
  const pair: Pair = {
    payer: sibling(payerDb),
    payee,
    payerSecret,
    payeeSecret,
    payeeOrigin,
    vasp,
    user: await newUser(vasp, { SAT: 0n }),
    wire: (url, init) => payee.answer(new Request(url, init)),
    statementWire: (url, init) => payee.answer(new Request(url, init)),
    requests,
    heard: { payer: [], payee: [] },
    sibling,
    payeeWith,
  }
  for (const side of ['payer', 'payee'] as const) pair[side].listen(async (event) => void pair.heard[side].push(event))
  return pair
}

/** Restores the wire after a fault. */
export function mend(pair: Pair): void {
  pair.wire = (url, init) => pair.payee.answer(new Request(url, init))
}

let lastSendId = 0n

type OfInvoice = OutgoingPayment & { readonly what: { readonly kind: 'invoice'; readonly invoice: string } }

/** A payment of a new invoice of the pair's user, with a new id. */
export async function paymentOf(
  pair: Pair,
  { askedMsats = 25_000n, ...over }: Partial<OfInvoice> & { readonly askedMsats?: bigint } = {},
): Promise<OfInvoice> {
  const { invoice, paymentHash } = await invoiceOf(pair.vasp, pair.user, 'SAT', askedMsats)
  return { ...newSend(pair), paymentHash, amountMsats: askedMsats, what: { kind: 'invoice', invoice }, ...over }
}

/** A keysend to the pair's user, or to another user. */
export function keysendOf(
  pair: Pair,
  username = pair.user,
  preimage = randomBytes(32).toString('hex'),
): OutgoingPayment {
  return {
    ...newSend(pair),
    paymentHash: createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex'),
    amountMsats: 7_000n,
    what: {
      kind: 'keysend',
      preimage,
      records: [{ type: USER_RECORD, value: Buffer.from(username).toString('hex') }],
    },
  }
}

/** The same payment, tried again by the payer with another id. */
export function again(payment: OutgoingPayment): OutgoingPayment {
  return { ...payment, sendId: (lastSendId += 1n) }
}

function newSend(pair: Pair): Pick<OutgoingPayment, 'sendId' | 'account' | 'payee' | 'feeLimitMsats'> {
  const { publicKeyHex } = pair.payee.identity
  return { sendId: (lastSendId += 1n), account: publicKeyHex, payee: publicKeyHex, feeLimitMsats: 10_000n }
}

/** The user's balance and the payer's debt, in msats. Both are always the same number. */
export async function booksOfPair(pair: Pair): Promise<{ readonly credited: bigint; readonly owed: bigint }> {
  const { db } = pair.vasp.app
  const [row] = await db.query<{ balance: bigint }>(
    { name: 'test_peer_balance', text: 'select balance from ledger_accounts where node_key = $1' },
    [pair.payer.identity.publicKeyHex],
  )
  return { credited: (await walletOf(db, pair.user, 'SAT')).available, owed: -(row?.balance ?? 0n) }
}

/** The hashes on which the payee's node and its ledger disagree; empty when they agree. */
export async function disagreements(db: Database): Promise<unknown[]> {
  return db.query({
    name: 'test_disagreements',
    text: `select payment_hash, 'ledger' as wrong from incoming_payment_books where not fits
           union all
           select coalesce(n.payment_hash, r.payment_hash), 'node'
           from (select * from lightning_node.receipts where state = 'received') n
           full join incoming_payments r on (r.payment_hash, r.node_key, r.amount_msats) = (n.payment_hash, n.payer, n.amount_msats)
           where n.payer is null or r.id is null
           union all
           select node_key, 'balance' from ledger_accounts a
           where node_key is not null and -balance <> coalesce((select sum(amount_msats) from incoming_payments r where r.node_key = a.node_key), 0)`,
  })
}

/** A send in the records of the payer's node. */
export async function sendRow(db: Database, sendId: bigint): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query(
    {
      name: 'test_send',
      text: 'select state, preimage, failure, fee_msats from lightning_node.sends where send_id = $1',
    },
    [sendId],
  )
  return row
}

/** A call of a peer, signed with any key. */
export function signedRequest(
  secretHex: string,
  fields: Partial<SignedRequest> & Pick<SignedRequest, 'body'>,
  origin = `http://${fields.host ?? 'localhost:3000'}`,
): Request {
  const key = makeNodeKey(secretHex)
  const request: SignedRequest = {
    payer: key.publicKeyHex,
    path: '/sandbox-ln/v1/pay',
    host: new URL(origin).host,
    timestamp: String(Date.now()),
    nonce: randomBytes(16).toString('hex'),
    ...fields,
  }
  return new Request(`${origin}${request.path}`, {
    method: 'POST',
    body: request.body,
    headers: {
      [HEADERS.key]: request.payer,
      [HEADERS.timestamp]: request.timestamp,
      [HEADERS.nonce]: request.nonce,
      [HEADERS.signature]: key.sign(requestText(request)),
    },
  })
}

/** An answer that the payee signs, whatever its content. */
export async function signedAnswer(
  pair: Pick<Pair, 'payeeSecret'>,
  request: Request,
  body: string,
  status = 200,
): Promise<Response> {
  const header = (name: string): string => request.headers.get(name) ?? ''
  const text = answerText(
    {
      payer: header(HEADERS.key),
      path: new URL(request.url).pathname,
      host: new URL(request.url).host,
      timestamp: header(HEADERS.timestamp),
      nonce: header(HEADERS.nonce),
      body: await request.text(),
    },
    status,
    body,
  )
  return new Response(body, { status, headers: { [HEADERS.signature]: makeNodeKey(pair.payeeSecret).sign(text) } })
}

/** Credits SAT wallets: the user of the invoice, or of the record. Opens the peer's account when it is needed. */
function creditPlannerOf(db: Database): CreditPlanner {
  return {
    async planCredit({ paymentHash, amountMsats, account = '', invoice, keysend }) {
      const record = keysend?.records.find(({ type }) => type === USER_RECORD)
      const named = record === undefined ? '' : Buffer.from(record.value, 'hex').toString()
      const [row] = await db.query<{ user_id: string; wallet_id: bigint; account_id: bigint }>(
        {
          name: 'test_plan',
          text: `select w.user_id, w.id as wallet_id, a.id as account_id
                 from wallets w join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
                 where w.id = (select wallet_id from invoices where payment_hash = $1 and invoice = $2)
                    or $2::text is null and w.user_id = $3 and w.currency_code = 'SAT'`,
        },
        [paymentHash, invoice ?? null, named],
      )
      if (row === undefined) return { failure: 'unknown' }
      const from = (await openNodeAccounts(db, [account])).get(account)
      if (from === undefined) throw new Error('the peer has no account')
      return {
        username: row.user_id,
        walletId: row.wallet_id,
        credited: amountMsats,
        lines: [
          { accountId: from, amount: -amountMsats },
          { accountId: row.account_id, amount: amountMsats },
        ],
        description: null,
        metadata: keysend === undefined ? null : { tlv_records: keysend.records },
      }
    },
  }
}
