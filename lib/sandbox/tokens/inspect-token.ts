import { CompactSign, decodeProtectedHeader, type CryptoKey } from 'jose'
import {
  COMMANDS,
  createUmaAuthVasp,
  WalletError,
  type BearerFault,
  type CallEvent,
  type CommandName,
  type TokenClaims,
  type VaspKeys,
  type WalletBackend,
} from 'uma-auth-vasp'
import { z } from 'zod'
import { accountOf } from '../../accounts/users'
import { findConnection } from '../../connections/queries'
import { currencyOf } from '../../money/currencies'
import type { Clock } from '../../platform/clock'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { throwawayKeys } from './throwaway-keys'

export interface InspectPorts {
  readonly db: Database
  readonly clock: Clock
  readonly keys: VaspKeys
  readonly settings: Pick<Settings, 'vaspDomain' | 'vaspName' | 'gatewayRootUrl'>
}

/** The answer of one endpoint to the token. */
export interface EndpointVerdict {
  /** For example `POST /token`. */
  readonly endpoint: string
  readonly isAccepted: boolean
  /** 401, 403 or 500 when the token is refused. */
  readonly status: number | undefined
  readonly failedCheck: CallEvent['failedCheck']
  readonly bearerFault: BearerFault | undefined
}

/** What this server has recorded about a valid token. The record is looked up only for the token's own user. */
export type TokenRecord = 'live' | 'revoked' | 'login closed' | 'not issued here' | 'user suspended' | 'of another user'

export interface TokenVerdict {
  /** The first check of the token that fails; undefined for a valid one. */
  readonly fault: BearerFault | undefined
  /** The next check that would fail if format and signature were correct. Undefined when they are correct, or no other check fails. */
  readonly laterFault: BearerFault | undefined
  /** The claims of a token that passes every check. */
  readonly claims: TokenClaims | undefined
  readonly record?: TokenRecord
  /** When the connection of the user's own token was created. */
  readonly connectedAt?: Date
  /** The decoded content of the text, verified or not. */
  readonly text: TokenText
  readonly endpoints: readonly EndpointVerdict[]
  /** False without JWT_PUBLIC_KEY: every call answers 500. */
  readonly canVerify: boolean
}

export interface TokenText {
  readonly header: Readonly<Record<string, unknown>> | undefined
  readonly payload: Readonly<Record<string, unknown>> | undefined
}

/**
 * Inspects a token with the checks of the API itself: an instance of the protocol package answers one call for each endpoint,
 * with a wallet that does nothing. The inspection is not logged, recorded or counted, and does not add the token to a cache.
 * @param reader the signed-in user. The records of another user's token are not looked up.
 * @param commands the commands that the server implements.
 */
export async function inspectToken(
  ports: InspectPorts,
  reader: string,
  token: string,
  commands: readonly CommandName[],
): Promise<TokenVerdict> {
  let known: Promise<Known> | undefined
  const call = probeOf(ports, ports.keys, commands, async (claims) => {
    known ??= whatIsKnown(ports.db, reader, claims)
    return (await known).record
  })
  const endpoints = [toVerdict(await call(token, 'POST', '/token'))]
  let info: CallEvent | undefined
  for (const { name, method, path } of COMMANDS.filter((command) => commands.includes(command.name))) {
    const event = await call(token, method, path)
    if (name === 'get_info') info = event
    endpoints.push(toVerdict(event))
  }
  // GET /info takes both kinds of token, so its answer depends only on the token itself.
  const fault = info?.bearerFault
  const isSigned = fault !== 'malformed' && fault !== 'signature'
  return {
    fault,
    laterFault: isSigned ? undefined : await faultBehindSignature(ports, token),
    claims: info?.claims,
    ...(await known),
    text: textOf(token),
    endpoints,
    canVerify: ports.keys.verification.length > 0,
  }
}

type Known = Required<Pick<TokenVerdict, 'record'>> & Pick<TokenVerdict, 'connectedAt'>
type Identity = Pick<TokenClaims, 'use' | 'id' | 'userId'>

async function whatIsKnown(db: Database, reader: string, { use, id, userId }: Identity): Promise<Known> {
  if (userId !== reader) return { record: 'of another user' }
  const account = await accountOf(db, userId, id)
  if (account?.status !== 'active') return { record: 'user suspended' }
  if (use === 'login') return { record: account.hasGrant ? 'live' : 'login closed' }
  const connection = await findConnection(db, userId, id)
  if (connection === null) return { record: 'not issued here' }
  return { record: connection.revokedAt === null ? 'live' : 'revoked', connectedAt: connection.createdAt }
}

type Probe = (token: string, method: string, path: string) => Promise<CallEvent>
/** The checks whose result depends on the token. */
const DECIDED_BY_TOKEN: ReadonlySet<string> = new Set(['bearer', 'account', 'scope'])

function toVerdict({ route, status, failedCheck, bearerFault }: CallEvent): EndpointVerdict {
  const isAccepted = failedCheck === undefined || !DECIDED_BY_TOKEN.has(failedCheck)
  return {
    endpoint: route,
    isAccepted,
    status: isAccepted ? undefined : status,
    failedCheck: isAccepted ? undefined : failedCheck,
    bearerFault,
  }
}

/** Calls the API of the protocol package, with a wallet whose commands all fail: only the checks before them matter. */
function probeOf(
  { settings, clock }: Pick<InspectPorts, 'settings' | 'clock'>,
  keys: VaspKeys,
  commands: readonly CommandName[],
  findRecord: (token: Identity) => Promise<TokenRecord>,
): Probe {
  const opens = (record: TokenRecord): boolean => record === 'live' || record === 'of another user'
  const fail = async (): Promise<never> => {
    throw new WalletError('OTHER', 'not carried out')
  }
  const methods = COMMANDS.filter(({ name }) => commands.includes(name)).map(({ backendMethod }) => backendMethod)
  const backend = {
    ...Object.fromEntries([...methods, 'getInfo', 'estimateBudget'].map((method) => [method, fail])),
    logins: {
      create: fail,
      find: async (login: { id: string; userId: string }) =>
        opens(await findRecord({ use: 'login', ...login })) ? 'open' : 'closed',
    },
    connections: {
      create: fail,
      open: async (claims: TokenClaims) => (opens(await findRecord(claims)) ? {} : undefined),
    },
  } as unknown as WalletBackend<object, 'SAT'>
  let event: CallEvent | undefined
  const vasp = createUmaAuthVasp({
    domain: settings.vaspDomain,
    name: settings.vaspName,
    gatewayRootUrl: settings.gatewayRootUrl,
    keys,
    // No login is started here.
    loginSecret: 'x'.repeat(32),
    currencies: [{ ...currencyOf('SAT'), code: 'SAT' }],
    backend,
    clock,
    log: { error: () => undefined },
    observe: (observed) => (event = observed),
  })
  return async (token, method, path) => {
    await vasp.handle({
      method,
      url: `${vasp.api.basePath}${path.replaceAll(/\{\w+\}/g, 'x')}`,
      headers: { get: (name) => (name.toLowerCase() === 'authorization' ? `Bearer ${token}` : null) },
      body: null,
    })
    if (event === undefined) throw new Error('the call was not observed')
    return event
  }
}

/** Signs the same claims with a throwaway key, and calls an API that trusts this key. */
async function faultBehindSignature(ports: InspectPorts, token: string): Promise<BearerFault | undefined> {
  const payload = token.split('.')[1]
  if (payload === undefined) return undefined
  const { privateKey, publicKey } = await throwawayKeys()
  const signed = await new CompactSign(Buffer.from(payload, 'base64url'))
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
    .sign(privateKey)
  const keys = { signing: undefined, verification: [publicKey] satisfies CryptoKey[] }
  const { bearerFault } = await probeOf(ports, keys, [], async () => 'of another user')(signed, 'GET', '/info')
  // With the right key and header, only a payload that is not JSON fails here.
  return bearerFault === 'signature' || bearerFault === 'malformed' ? 'claims' : bearerFault
}

const JsonObject = z.record(z.string(), z.unknown())

function textOf(token: string): TokenText {
  return { header: readHeader(token), payload: readPart(token.split('.')[1]) }
}

function readHeader(token: string): TokenText['header'] {
  try {
    return JsonObject.safeParse(decodeProtectedHeader(token)).data
  } catch {
    return undefined
  }
}

function readPart(part: string | undefined): TokenText['payload'] {
  try {
    return JsonObject.safeParse(JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'))).data
  } catch {
    return undefined
  }
}
