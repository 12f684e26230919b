import { PubKeyResponse, type NonceValidator } from '@uma-sdk/core'
import { umaFault } from '../fault'
import { checkTime, readNonce, takeNonce, type Nonce } from '../nonces'
import type { Direction, PublicKeys, Uma, UmaPorts } from '../types'

/**
 * The SDK takes a nonce before it verifies the signature, so any client could use up a VASP's nonces. This VASP takes
 * the nonce afterwards.
 */
export const NO_NONCES: NonceValidator = { checkAndSaveNonce: () => Promise.resolve(true) }

export interface SignedMessage {
  /** The VASP that the message names as its sender. */
  readonly domain: string
  readonly nonce: string
  readonly timestampSeconds: number
  readonly direction: Direction
  /** Whether the signature is valid. A rejection counts as false. */
  readonly holds: (keys: PubKeyResponse) => Promise<boolean>
}

type VerifyPorts = Pick<UmaPorts, 'clock'> & { readonly uma: Pick<Uma, 'remoteKeys'> }

/**
 * Checks a message from another VASP in this order: time, signature, nonce.
 * @throws UmaFault
 */
export async function verifyMessage(ports: VerifyPorts & Pick<UmaPorts, 'db'>, message: SignedMessage): Promise<void> {
  await takeNonce(ports.db, await verifySignature(ports, message))
}

/**
 * Checks the time and the signature of a message from another VASP. Cached keys may be outdated, so they are fetched again
 * before a signature is refused.
 * @returns the nonce. The caller takes it before the message has an effect, or in the same statement.
 * @throws UmaFault
 */
export async function verifySignature(ports: VerifyPorts, message: SignedMessage): Promise<Nonce> {
  const { domain, nonce, timestampSeconds, direction } = message
  checkTime(ports.clock, timestampSeconds)
  const keys = await fittingKeys(ports.uma.remoteKeys, message, direction)
  if (keys === undefined) throw umaFault('INVALID_SIGNATURE', `The signature was not made by ${domain}.`)
  return readNonce(ports.clock, domain, nonce)
}

async function fittingKeys(
  remoteKeys: Uma['remoteKeys'],
  { domain, holds }: SignedMessage,
  direction: Direction,
): Promise<PublicKeys | undefined> {
  const keys = await remoteKeys.get(domain, direction)
  if (await isTrue(holds, keys)) return keys
  const newer = await remoteKeys.refresh(domain, direction)
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
