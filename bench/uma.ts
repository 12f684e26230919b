import { newNodeSecret } from '../test/keys'
import type { Engine } from './engines'
import { startInstance } from './instance'
import { measure, median, most, type Bench, type Row } from './measure'
import { newPeers, type Side } from './peers'
import { makeCast, type Cast, type Person } from './people'
import { rawRequest } from './raw-connection'
import type { Scale } from './run-engine'
import { measureSignatures, sumMs, type SignatureCost } from './uma-signatures'

/** Two VASPs, each with a process and a database of its own on one PostgreSQL. */
export interface UmaResult {
  readonly rows: readonly Row[]
  /** The last of them. */
  readonly payment: Row
  /** Payments a second of ten callers, and the signatures of one payment, each the median of rounds in turn. */
  readonly payments: number
  readonly signaturesMs: number
  readonly signatures: readonly SignatureCost[]
}

const PEOPLE = 50
const AMOUNT_SAT = 1_000
/** So many loads before the first that counts. */
const WARM_UPS = 5

/** Look-up, quote and payment from one VASP to another. */
export async function runUma(
  engine: Engine,
  bench: Bench,
  scale: Scale,
  say: (line: string) => void,
): Promise<UmaResult> {
  say('UMA between two VASPs: people …')
  const { ours, theirs } = await newPeers()
  const otherEngine = await engine.sibling()
  const [ourEnv, theirEnv] = [envOf(ours, theirs), envOf(theirs, ours)]
  const ourCast = await engine.withDatabase((db) => makeCast(db, ours.identity, PEOPLE, ourEnv))
  const theirCast = await otherEngine.withDatabase((db) => makeCast(db, theirs.identity, PEOPLE, theirEnv))
  const server = await startInstance(ours.identity, ours.port, { ...engine.env, ...ourEnv })
  const peer = await startInstance(theirs.identity, theirs.port, { ...otherEngine.env, ...theirEnv })
  const asked = { ports: [ours.port], pids: [server.pid, peer.pid] }
  const requests = requestsOf(ourCast, theirCast, ours.port, theirs.identity.domain)
  const rows: Row[] = []
  const row = async (what: string, which: readonly string[]): Promise<Row> => {
    const done = await measure(bench, { ...asked, what, requests: which })
    rows.push(done)
    say(`  ${what}: ${done.perSecond.toFixed(0)}/s, p50 ${done.p50Ms.toFixed(2)} ms, p99 ${done.p99Ms.toFixed(2)} ms`)
    return done
  }
  const [payments, sums]: [number[], number[]] = [[], []]
  let signatures: readonly SignatureCost[] = []
  try {
    // Keys, first contact, and code that is not compiled yet: payments a second still rise after a thousand of them.
    const warmUp = { ...bench, durationMs: WARM_UPS * bench.durationMs }
    await most(warmUp, { ...asked, what: 'the first answers', requests: requests.payments })
    await row('Look-up', requests.lookUps)
    await row('Quote', requests.quotes)
    const payment = await row('Payment to an address', requests.payments)
    for (let round = 0; round < scale.rounds; round++) {
      payments.push((await most(bench, { ...asked, what: 'payments', requests: requests.payments })).rate)
      signatures = await measureSignatures(scale.durationMs)
      sums.push(sumMs(signatures))
      say(`  payments ${payments.at(-1)?.toFixed(1)}/s, signatures of one ${sums.at(-1)?.toFixed(2)} ms`)
    }
    return { rows, payment, payments: median(payments), signaturesMs: median(sums), signatures }
  } finally {
    await Promise.all([server.stop(), peer.stop()])
    await otherEngine.stop()
    await engine.stop()
  }
}

function envOf(own: Side, other: Side): Record<string, string> {
  return {
    ...own.env,
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
    UMA_LOCAL_PEERS: other.identity.domain,
  }
}

/** Everybody here asks for and pays somebody there, each the next one, so that no person is where all wait. */
function requestsOf(payers: Cast, receivers: Cast, port: number, domain: string) {
  const between = <Made>(make: (payer: Person, address: string) => Made): Made[] =>
    payers.people.map((payer, index) =>
      make(payer, `$${receivers.people[index % receivers.people.length]?.username ?? ''}@${domain}`),
    )
  return {
    lookUps: between(({ token }, address) =>
      rawRequest('GET', `/umanwc/v1/receiver/lud16/${encodeURIComponent(address)}`, { port, token }),
    ),
    quotes: between(({ token }, address) => {
      const query = new URLSearchParams({
        sending_currency_code: 'SAT',
        receiving_currency_code: 'SAT',
        locked_currency_amount: String(AMOUNT_SAT),
        locked_currency_side: 'receiving',
        receiver_address: address,
      })
      return rawRequest('GET', `/umanwc/v1/quote/lud16?${query}`, { port, token })
    }),
    payments: between(({ token }, address) =>
      rawRequest('POST', '/umanwc/v1/payments/lud16', {
        port,
        token,
        body: { receiver_address: address, sending_currency_code: 'SAT', sending_currency_amount: AMOUNT_SAT },
      }),
    ),
  }
}
