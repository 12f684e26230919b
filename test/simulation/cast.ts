import { createHash } from 'node:crypto'
import './read-once'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import { nodePublicKey } from '@/lib/lightning/node-key'

// The users of every simulation, and the invoices that they may pay. They are the same in each run.

export const START_MS = Date.UTC(2026, 10, 21)
const OUR_SECRET = '11'.repeat(32)
const THEIR_SECRET = '22'.repeat(32)
export const OUR_KEY = nodePublicKey(OUR_SECRET)
export const REMOTE_KEY = nodePublicKey(THEIR_SECRET)

/** Ledger units by user name and currency. */
export type Balances = Readonly<Record<string, Readonly<Record<string, bigint>>>>

export const USERS: Balances = {
  ann: { USD: 260n, SAT: 2_200_000n },
  ben: { SAT: 3_100_000n },
  cho: { EUR: 180n, SAT: 500_000n },
}

export interface Paper {
  readonly text: string
  readonly hash: string
  readonly preimage: string
  /** Undefined: the payer chooses. */
  readonly amountMsats: bigint | undefined
}
export interface OwnPaper extends Paper {
  readonly username: string
  readonly code: string
}

function paper(
  secret: string,
  seed: string,
  amountMsats: bigint | undefined,
  hashSeed = seed,
  startMs = START_MS,
): Paper {
  const preimage = createHash('sha256').update(`preimage of ${hashSeed}`).digest('hex')
  const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
  let signed: string | undefined
  // Signed on first use, because signing takes most of the time.
  const sign = (): string =>
    encodeInvoice({
      nodeSecretHex: secret,
      network: 'regtest',
      paymentHash: hash,
      paymentSecretHex: createHash('sha256').update(`secret of ${seed}`).digest('hex'),
      amountMsats,
      description: seed,
      descriptionHash: undefined,
      createdAtSeconds: startMs / 1000,
      expirySeconds: 3_600,
    })
  return {
    hash,
    preimage,
    amountMsats,
    get text() {
      return (signed ??= sign())
    },
  }
}

/** A set of invoices with their own hashes; `mark` is any text. Invoices of other nodes, and ours. */
export function makePapers(
  mark: string,
  users: readonly string[],
  startMs = START_MS,
): { foreign: Paper[]; own: OwnPaper[] } {
  const [ann = '', ben = '', cho = ''] = users
  const own = (seed: string, username: string, code: string, amountMsats: bigint | undefined): OwnPaper =>
    Object.assign(paper(OUR_SECRET, `${mark} own ${seed}`, amountMsats, undefined, startMs), { username, code })
  return {
    foreign: [
      paper(THEIR_SECRET, `${mark} one`, 1_000_000n, undefined, startMs),
      paper(THEIR_SECRET, `${mark} two`, 1_234_567n, undefined, startMs),
      paper(THEIR_SECRET, `${mark} three`, 2_000_000n, undefined, startMs),
      paper(THEIR_SECRET, `${mark} open`, undefined, undefined, startMs),
      // Two invoices of one hash.
      paper(THEIR_SECRET, `${mark} four`, 700_000n, undefined, startMs),
      paper(THEIR_SECRET, `${mark} four again`, 900_000n, `${mark} four`, startMs),
      // Another invoice with the hash of ours (a wrapped one).
      paper(THEIR_SECRET, `${mark} wraps`, 5_000n, `${mark} own a`, startMs),
    ],
    own: [
      own('a', ann, 'SAT', 1_000_000n),
      own('b', ben, 'SAT', 600_000n),
      own('c', cho, 'EUR', 900_000n),
      own('d', ann, 'USD', undefined),
    ],
  }
}

/** The preimages of keysends, so that two keysends may have the same one. */
export function keysendPreimage(mark: string, index: number): string {
  return createHash('sha256').update(`${mark} keysend ${index}`).digest('hex')
}
