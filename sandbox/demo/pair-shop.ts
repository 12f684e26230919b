import { z } from 'zod'
import { connectShop, SHOPKEEPER } from '../pairing/connect-shop'
import { makeVisitor, reasonOf } from '../pairing/visitor'
import { signIn } from '../shared/fetch-token'
import { isThisMachine } from '../shared/own-site'

/** The addresses of the demo's processes, and the credentials for signing in. */
export interface PairingPlaces {
  readonly vaspOrigin: string
  /** Short name of the VASP's instance, in its cookie names. */
  readonly instance: string
  /** The gateway's root URL without a trailing slash. */
  readonly gatewayRoot: string
  readonly shopOrigin: string
  readonly password: string
  /** The team password of a shared sandbox (`SANDBOX_TOOLS=private`). */
  readonly teamPassword?: string | undefined
}

const CHECK_EVERY_MS = 500
/** The gateway may reach the relay shortly after it listens. */
const PATIENCE_MS = 12_000

/** The shop's report on its own wallet (`/-/own-wallet`). */
const State = z.object({
  connected: z.boolean(),
  /** The connection's relay; null without a connection. */
  relay: z.string().nullable(),
  /** Null when the wallet answered. */
  problem: z.string().nullable(),
})
type State = z.output<typeof State>

/**
 * Connects the shop to Bob's wallet through the pages that a user would use, with the permissions that the shop asks
 * for. The VASP then knows the app, and its desk can list and revoke the connection. A pairing that works is kept.
 * @throws Error with a message for the terminal.
 */
export async function pairShop(places: PairingPlaces): Promise<'kept' | 'paired'> {
  const state = await settledState(places.shopOrigin)
  if (state.connected && state.problem === null) return 'kept'
  if (!mayReplace(state))
    throw new Error(`its wallet on ${state.relay} does not answer (${state.problem}), and is kept as it is`)
  await connectAsBob(places)
  return 'paired'
}

/**
 * Whether the demo may replace the wallet. A wallet on another relay is the user's own and may just be down. A wallet on
 * this machine's relay that does not answer is lost.
 */
export function mayReplace({ connected, relay, problem }: State): boolean {
  if (!connected || relay === null || problem === 'UNAUTHORIZED') return true
  return isThisMachine(new URL(relay).hostname)
}

/** The state once the wallet has answered or refused, or the last state before the timeout. */
async function settledState(shopOrigin: string): Promise<State> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const state = await readState(shopOrigin)
    if (!state.connected || state.problem === null || state.problem === 'UNAUTHORIZED' || Date.now() > until)
      return state
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS))
  }
}

async function readState(shopOrigin: string): Promise<State> {
  const response = await fetch(`${shopOrigin}/-/own-wallet`)
  return State.parse(await response.json())
}

async function signInAsBob(
  at: Pick<PairingPlaces, 'vaspOrigin' | 'instance' | 'password' | 'teamPassword'>,
): Promise<string> {
  try {
    return await signIn({ ...at, username: SHOPKEEPER })
  } catch (error) {
    const away = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')
    const reason = away ? `does not answer (${reasonOf(error)})` : `refused the sign-in as ${SHOPKEEPER}`
    throw new Error(`${at.vaspOrigin} ${reason}`, { cause: error })
  }
}

/** Signs in as Bob, and connects his wallet. */
async function connectAsBob(places: PairingPlaces): Promise<void> {
  const { vaspOrigin, gatewayRoot, shopOrigin } = places
  const visitor = makeVisitor()
  visitor.keep(vaspOrigin, await signInAsBob(places))
  await connectShop(visitor, { shopOrigin, gatewayRoot, address: `$${SHOPKEEPER}@${new URL(vaspOrigin).host}` })
}
