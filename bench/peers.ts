import { nodePublicKey } from '@/lib/lightning/node-key'
import { freePort } from '../test/programs/free-port'
import { newIdentity, type Identity } from './instance'

/** One of two VASPs that may pay each other without a limit. */
export interface Side {
  readonly port: number
  readonly identity: Identity
  /** The settings that name the other VASP. */
  readonly env: Readonly<Record<string, string>>
}

/** How much one VASP may owe the other, and how many payments of a user may be in progress. */
const PLENTY = { LIGHTNING_PEER_LIMIT_MSATS: '100000000000000000', MAX_OPEN_PAYMENTS_PER_USER: '1000' }

export async function newPeers(): Promise<{ readonly ours: Side; readonly theirs: Side }> {
  const [port, otherPort] = [await freePort(), await freePort()]
  const [identity, other] = [newIdentity(port), newIdentity(otherPort)]
  const knows = ({ nodeSecretHex, publicOrigin }: Identity): Record<string, string> => ({
    LIGHTNING_PEERS: `${nodePublicKey(nodeSecretHex)}@${publicOrigin}`,
    ...PLENTY,
  })
  return {
    ours: { port, identity, env: knows(other) },
    theirs: { port: otherPort, identity: other, env: knows(identity) },
  }
}
