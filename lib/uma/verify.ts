import { PubKeyResponse, type NonceValidator } from '@uma-sdk/core'
import type { Deps } from '../deps'
import { umaFault } from './fault'
import { checkTime, takeNonce, type Reading } from './nonces'
import type { Initiative } from './peer-keys'
import type { PublicKeys } from './read-keys'
import type { Uma } from './uma'

/** The SDK takes a nonce before it looks at the signature, so that anybody could use up a VASP's; ours are taken after. */
export const NO_NONCES: NonceValidator = { checkAndSaveNonce: () => Promise.resolve(true) }

export interface SignedMessage {
  /** The VASP in whose name it was sent. */
  readonly domain: string
  readonly nonce: string
  readonly timestampSeconds: number
  readonly whose: Initiative
  /** Whether the signature holds. What throws does not. */
  readonly holds: (keys: PubKeyResponse) => Promise<boolean>
}

/**
 * Checks a message of another VASP in this order: its time, its signature, its nonce. Keys from the cache may be of
 * yesterday, so they are fetched once more before a signature is refused. Gives what was to be read with the nonce.
 * @throws UmaFault
 */
export async function verifyMessage<Row = never>(
  ports: Pick<Deps, 'db' | 'clock'> & { readonly uma: Pick<Uma, 'peerKeys'> },
  message: SignedMessage,
  reading?: Reading<Row>,
): Promise<Row[]> {
  const { domain, nonce, timestampSeconds, whose } = message
  checkTime(ports.clock, timestampSeconds)
  const keys = await fittingKeys(ports.uma.peerKeys, message, whose)
  if (keys === undefined) throw umaFault('INVALID_SIGNATURE', `The signature is not one of ${domain}.`)
  return takeNonce(ports, domain, nonce, reading)
}

async function fittingKeys(
  peerKeys: Uma['peerKeys'],
  { domain, holds }: SignedMessage,
  whose: Initiative,
): Promise<PublicKeys | undefined> {
  const keys = await peerKeys.of(domain, whose)
  if (await isTrue(holds, keys)) return keys
  const newer = await peerKeys.again(domain, whose)
  return newer !== undefined && (await isTrue(holds, newer)) ? newer : undefined
}

/** Malformed signatures make the library throw. */
async function isTrue(holds: SignedMessage['holds'], { signing, encryption }: PublicKeys): Promise<boolean> {
  try {
    return await holds(new PubKeyResponse(undefined, undefined, signing, encryption))
  } catch {
    return false
  }
}
