import type { Slot } from './backend.ts'
import { ask, tell, wrongAnswer } from './callbacks.ts'
import { alwaysGranted, type CommandName } from './commands.ts'
import { unauthorized, VERIFICATION_KEY_MISSING, WalletError } from './errors.ts'
import type { HandlerParts } from './handler-parts.ts'
import type { ApiRequest } from './request.ts'
import type { TokenCheck, TokenClaims, Tokens } from './tokens.ts'

// Who may call: the questions that the handler asks the operator and the bank before the work.

const NO_SLOT: Slot = { release: () => undefined }

/** Only exactly `true` admits. */
export async function requireAllowed(
  { timeoutSeconds }: HandlerParts,
  allows: NonNullable<HandlerParts['allows']>,
  request: ApiRequest,
): Promise<void> {
  const allowed: unknown = await ask('allows', timeoutSeconds, () => allows(request))
  if (allowed === true) return
  if (allowed !== false) throw wrongAnswer('allows', allowed, 'true or false')
  throw new WalletError('RESTRICTED', 'This API accepts calls only from the networks in its settings.')
}

/** Exactly one token after one or more blanks (RFC 9110, 11.4). Two header lines arrive joined by a comma and are refused. */
const BEARER = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/** Specification, Authentication 3 and 4. @throws WalletError INTERNAL (500) when no verification key is configured. */
export async function readBearer(request: ApiRequest, tokens: Tokens): Promise<TokenCheck> {
  const header = request.headers.get('authorization')
  if (header === null || header === '') return 'missing'
  if (!tokens.canVerify) throw new WalletError('INTERNAL', VERIFICATION_KEY_MISSING)
  const token = BEARER.exec(header)?.[1]
  return token === undefined ? 'malformed' : tokens.check(token)
}

/** Undefined admits without a slot. Any other answer that is no slot refuses before any work: it may mean "no". */
export async function admit(parts: HandlerParts, claims: TokenClaims): Promise<Slot> {
  const { backend, timeoutSeconds } = parts
  if (backend.admit === undefined) return NO_SLOT
  const slot: unknown = await ask(
    'admit',
    timeoutSeconds,
    () => backend.admit?.(claims),
    (late) => {
      // Nobody will use this slot.
      if (isSlot(late)) release(parts, late)
    },
  )
  if (slot === undefined) return NO_SLOT
  if (isSlot(slot)) return slot
  throw wrongAnswer('admit', slot, 'undefined or an object with release')
}

function isSlot(value: unknown): value is Slot {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Slot>).release === 'function'
}

export function release({ log }: HandlerParts, slot: Slot, requestId?: string): void {
  const fields = requestId === undefined ? {} : { requestId }
  tell(
    () => slot.release(),
    (err) => log.error({ ...fields, err }, 'release failed'),
  )
}

/** Only an object is a caller: `null`, `false` and `[]` are what database libraries answer for "no row". */
export async function open(
  { backend, log, timeoutSeconds }: HandlerParts,
  claims: TokenClaims,
  slot: Slot,
  requestId: string,
) {
  const { connections } = backend
  const caller: unknown = await ask('connections.open', timeoutSeconds, () => connections.open(claims, slot))
  if (typeof caller === 'object' && caller !== null && !Array.isArray(caller)) return caller
  if (caller !== undefined) {
    const err = wrongAnswer('connections.open', caller, 'an object or undefined')
    log.error({ requestId, err }, 'request refused')
  }
  throw unauthorized()
}

/** The implemented commands that this caller may use. */
export async function commandsOf(
  { backend, commands, timeoutSeconds }: HandlerParts,
  caller: object,
): Promise<readonly CommandName[]> {
  const names: unknown = await ask('commandsOf', timeoutSeconds, () => backend.commandsOf?.(caller))
  if (!Array.isArray(names)) throw wrongAnswer('commandsOf', names, 'a list of commands')
  const allowed = new Set<unknown>([...names, ...alwaysGranted()])
  return commands.filter((name) => allowed.has(name))
}
