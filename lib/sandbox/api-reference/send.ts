import type { CommandName } from 'uma-auth-vasp'
import { REFERENCE_CLIENT } from '../../connections/login-grants'
import { connectionOfReference } from '../../connections/queries'
import { findEventOfRequest } from '../../events/queries'
import type { EventRecorder } from '../../events/recorder'
import { singleton } from '../../platform/process-singletons'
import { connectTool, tokenOf, type Minted, type MintPorts } from '../tokens/mint-token'
import type { TypedCall } from './typed-call'

/** Fixed from the first call, so that the connection of a page that was left ends by itself. */
const LIFETIME_SECONDS = 60 * 60
const CONNECTION = { clientId: REFERENCE_CLIENT, name: 'made in the API reference', lifetimeSeconds: LIFETIME_SECONDS }

interface SendPorts extends MintPorts {
  readonly events: Pick<EventRecorder, 'flush'>
}

export interface Sender {
  readonly username: string
  readonly sessionId: string
  /** Of the connection, when it must be created. */
  readonly permissions: readonly CommandName[]
}

/** The API of this server. */
type CallApi = (request: Request) => Promise<Response>

type Refused = Extract<Minted, { refused: string }>
type Sent = {
  readonly status: number
  /** Undefined when the event was not stored. */ readonly eventId: bigint | undefined
}

/**
 * Sends a call to the API as an app of the user, with the token of a connection that the user can revoke. The token does not leave this
 * process.
 * @param requestId identifies one press of the button: a payment that is sent twice with it is paid once.
 */
export async function sendCall(
  ports: SendPorts,
  sender: Sender,
  { method, url, headers, body }: TypedCall,
  requestId: string,
  callApi: CallApi,
): Promise<Sent | Refused> {
  const minted = await connectReference(ports, sender, callApi)
  if ('refused' in minted) return minted
  const { publicOrigin, apiBasePath } = ports.settings
  const ofPost = { 'Content-Type': 'application/json', 'Idempotency-Key': `reference-${requestId}` }
  const response = await callApi(
    new Request(`${publicOrigin}${apiBasePath}${url}`, {
      method,
      headers: { ...(method === 'POST' ? ofPost : {}), ...headers, Authorization: `Bearer ${minted.token}` },
      ...(body === undefined ? {} : { body }),
    }),
  )
  await ports.events.flush()
  const reader = { userId: sender.username, withUnowned: false }
  const eventId = await findEventOfRequest(ports, reader, response.headers.get('X-Request-Id') ?? '')
  return { status: response.status, eventId }
}

/**
 * A token of the connection of the last hour, which is created when there is none. Two first calls at once create one. The question
 * before a payment calls this too: an Idempotency-Key belongs to a connection, so a double press must find the connection.
 */
export async function connectReference(ports: MintPorts, sender: Sender, callApi: CallApi): Promise<Minted> {
  const pending = singleton('api reference connections', () => new Map<string, Promise<Minted>>())
  const { username } = sender
  const earlier = pending.get(username)
  if (earlier !== undefined) return earlier
  const connecting = findOrConnect(ports, sender, callApi).finally(() => pending.delete(username))
  pending.set(username, connecting)
  return connecting
}

async function findOrConnect(ports: MintPorts, sender: Sender, callApi: CallApi): Promise<Minted> {
  if (ports.keys.signing === undefined) return { refused: 'JWT_PRIVATE_KEY is not set.' }
  const found = await connectionOfReference(ports, sender.username)
  return found === undefined
    ? connectTool(ports, { ...sender, ...CONNECTION }, callApi)
    : { token: await tokenOf(ports, sender.username, found) }
}
