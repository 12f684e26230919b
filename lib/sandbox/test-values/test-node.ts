import { createHmac, randomBytes } from 'node:crypto'
import bolt11 from 'bolt11'
import { NETWORKS } from '../../lightning/networks'
import type { LightningNode } from '../../lightning/node'
import { makeNodeKey, readPeerKey } from '../../lightning/simulated-node/keys'
import { DEADLINE_MS, PATHS, TrackMessage, type PeerAnswer } from '../../lightning/simulated-node/messages'
import type { SimulatedNode } from '../../lightning/simulated-node/node'
import { makeWireClient, type Post } from '../../lightning/simulated-node/peer-client'
import type { PeerTerms } from '../../lightning/simulated-node/peers'
import { signInvoice } from '../../lightning/simulated-node/sign-invoice'
import { answerText, HEADERS, type SignedRequest } from '../../lightning/simulated-node/signature'
import { ALL_BITCOIN_MSATS } from '../../money/limits'
import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { parseJson } from '../../platform/parse-json'
import { SLOW_SECONDS, testRecipientOf } from './recipients'

/** A name that never resolves (RFC 6761): calls to the test node stay in this process. */
const ORIGIN = 'http://test-node.invalid'
const NETWORK = 'regtest'

/**
 * A Lightning node in this process that receives the payments to the test recipients. The node of this VASP pays it like any other
 * peer: hold, send, track, settle or release. The test node stores nothing: it derives each answer from the payment and the quote
 * in the database, so the answer is the same after a restart and on every instance.
 */
export interface TestNode {
  readonly peer: PeerTerms
  /** Answers calls to the test node, and passes all others to the network. */
  readonly post: Post
  readonly signInvoice: LightningNode['signInvoice']
  /** Pays an invoice of this VASP as a peer does. All attempts for a hash have the same id, so only one pays. */
  pay(node: Pick<SimulatedNode, 'identity' | 'answer'>, invoice: PayableInvoice): Promise<PeerAnswer>
}

export interface PayableInvoice {
  readonly invoice: string
  readonly paymentHash: string
  readonly amountMsats: bigint
}

interface Parts {
  readonly db: Database
  readonly clock: Clock
  /** The secret key of this VASP's node: the key of the test node is derived from it. */
  readonly nodeSecretHex: string
  readonly publicOrigin: string
}

/** Creating the node makes no call to the network or the database. */
export function makeTestNode({ db, clock, nodeSecretHex, publicOrigin }: Parts): TestNode {
  const secretHex = hmacHex(nodeSecretHex, 'the node of the test recipients')
  const key = makeNodeKey(secretHex)

  const preimageOf = (paymentSecretHex: string): string => hmacHex(secretHex, paymentSecretHex)

  async function answer(url: string, init: RequestInit): Promise<Response> {
    const { pathname, host } = new URL(url)
    const headers = new Headers(init.headers)
    const header = (name: string): string => headers.get(name) ?? ''
    const request: SignedRequest = {
      payer: header(HEADERS.key),
      path: pathname,
      host,
      timestamp: header(HEADERS.timestamp),
      nonce: header(HEADERS.nonce),
      body: typeof init.body === 'string' ? init.body : '',
    }
    const reply = pathname === PATHS.statement ? NO_TOTALS : await outcomeOf(request.body)
    // Not final: the payer asks again.
    if (reply === undefined) return new Response(null, { status: 503 })
    const body = JSON.stringify(reply)
    return new Response(body, { headers: { [HEADERS.signature]: key.sign(answerText(request, 200, body)) } })
  }

  async function outcomeOf(body: string): Promise<PeerAnswer | undefined> {
    const { payment_hash: paymentHash, attempt } = TrackMessage.parse(parseJson(body))
    const [payment] = await db.query(PAYMENT, [paymentHash, attempt])
    if (payment === undefined) return { state: 'refused', failure: 'unknown' }
    const received = { state: 'received', preimage: preimageOf(paymentSecretOf(payment.invoice)) } as const
    switch (testRecipientOf(payment.username)?.name) {
      case 'declined':
        return { state: 'refused', failure: 'other' }
      case 'slow':
        return payment.age_seconds >= SLOW_SECONDS ? received : undefined
      case 'flaky':
        return payment.previous === 'failed' ? received : { state: 'refused', failure: 'timeout' }
      case 'held':
        return payment.expired ? { state: 'refused', failure: 'expired' } : undefined
      case 'satonly':
      case 'threecoins':
      case 'blink':
        return received
      case 'blocked':
      case 'unreachable':
      case 'nobody':
      case undefined:
        return { state: 'refused', failure: 'unknown' }
    }
  }

  return {
    // The test payer creates test money, as the faucet does, so it may owe any amount.
    peer: { publicKeyHex: key.publicKeyHex, origin: ORIGIN, limitMsats: ALL_BITCOIN_MSATS },
    post: (url, init) => (url.startsWith(`${ORIGIN}/`) ? answer(url, init) : fetch(url, init)),
    // The preimage is derived from the payment secret in the invoice, so the preimage in the terms is not used.
    signInvoice: async (terms) => {
      const paymentSecretHex = randomBytes(32).toString('hex')
      const preimageHex = preimageOf(paymentSecretHex)
      return signInvoice({ secretHex, network: NETWORK, clock, paymentSecretHex }, { ...terms, preimageHex })
    },
    pay: (node, { invoice, paymentHash, amountMsats }) => {
      const { publicKeyHex } = node.identity
      const payee = { publicKeyHex, origin: publicOrigin, key: readPeerKey(publicKeyHex) }
      const wire = makeWireClient({ key, clock, post: (url, init) => node.answer(new Request(url, init)) })
      return wire.ask(payee, 'pay', {
        payment_hash: paymentHash,
        attempt: 'autopay',
        amount_msats: String(amountMsats),
        deadline: clock.now().getTime() + DEADLINE_MS,
        invoice,
      })
    },
  }
}

/** The test node keeps no totals, so its peer's records are the only ones. */
const NO_TOTALS = { received_msats: '0', sent_msats: '0' }

/** The newest quotes of the payer, among which the earlier payment is looked for. */
const MAX_QUOTES_READ = 300
/** `previous`: the outcome of the payer's latest finished payment to the same recipient before this one. */
const PAYMENT = statement<{
  invoice: string
  username: string
  age_seconds: number
  expired: boolean
  previous: string | null
}>(
  'payment_to_test_node',
  `select p.invoice, ltrim(split_part(q.receiver_address, '@', 1), '$') as username,
                extract(epoch from clock_timestamp() - p.created_at)::float8 as age_seconds,
                q.expires_at <= clock_timestamp() as expired,
                (select e.state
                 from (select id, receiver_address from quotes where user_id between p.user_id and p.user_id
                       order by user_id, id desc limit ${MAX_QUOTES_READ}) eq
                 cross join lateral (select id, state from payments where quote_id = eq.id and state in ('failed', 'succeeded') offset 0) e
                 where eq.receiver_address = q.receiver_address and e.id < p.id
                 order by e.id desc limit 1) as previous
         from payments p join quotes q on q.id = p.quote_id
         where p.id = $2::bigint and p.payment_hash = $1`,
)

function paymentSecretOf(invoice: string): string {
  const { tagsObject } = bolt11.decode(invoice, NETWORKS[NETWORK])
  const { payment_secret: secret } = tagsObject as { readonly payment_secret?: string }
  if (secret === undefined) throw new Error('an invoice of the test node has no payment secret')
  return secret
}

function hmacHex(keyHex: string, text: string): string {
  return createHmac('sha256', Buffer.from(keyHex, 'hex')).update(text).digest('hex')
}
