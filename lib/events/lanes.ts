import { isRequest, type EventKind } from './types'

/** The parties between which messages pass, in the order in which a page draws them. */
export const LANES = ['app', 'gateway', 'vasp', 'other', 'node'] as const
export type Lane = (typeof LANES)[number]

export const LANE_NAMES: Readonly<Record<Lane, string>> = {
  app: 'App',
  gateway: 'Gateway',
  vasp: 'VASP',
  other: 'Other VASP',
  node: 'Node',
}

/** Names of the messages that this server sends. It receives all others. */
const SENT: ReadonlySet<string> = new Set([
  'address lookup sent',
  'key document read',
  'UMA configuration read',
  'LNURL request sent',
  'UMA message sent',
  'payment given to the node',
  'result requested from the node',
])

/** The call that a gateway makes by itself. It passes the other calls on for an app. */
const BUDGET_ESTIMATE = 'GET /budget_estimate'

interface Message {
  readonly kind: EventKind
  readonly name: string
}

/** Who sent the message of an event to whom. A change of state stays at the VASP. */
export function lanesOf({ kind, name }: Message): { readonly from: Lane; readonly to: Lane } {
  if (!isRequest(kind)) return { from: 'vasp', to: 'vasp' }
  const party = partyOf({ kind, name })
  return SENT.has(name) ? { from: 'vasp', to: party } : { from: party, to: 'vasp' }
}

/** "App → VASP", or "VASP" for a change of state. */
export function lanesInWords(message: Message): string {
  const { from, to } = lanesOf(message)
  return from === to ? LANE_NAMES[from] : `${LANE_NAMES[from]} → ${LANE_NAMES[to]}`
}

function partyOf({ kind, name }: Message): Lane {
  if (kind === 'uma_message') return 'other'
  if (kind === 'lightning_message') return 'node'
  if (kind === 'token_exchange' || kind === 'discovery' || name === BUDGET_ESTIMATE) return 'gateway'
  // Calls of an app, and logins, which the user's browser opens for an app.
  return 'app'
}
