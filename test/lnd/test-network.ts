import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findLnd } from '../../sandbox/lnd/build'
import { startLndNetwork, type LndNetwork, type NetworkNode } from '../../sandbox/lnd/network'

export interface TestNetwork extends LndNetwork {
  /** The VASP's node. */
  readonly own: NetworkNode
  readonly remote: NetworkNode
}

/** Two LND nodes with a channel, in a folder that is deleted when they stop. `pair`: both belong to VASPs. */
export async function startTestNetwork(
  kind: 'with a remote node' | 'pair' = 'with a remote node',
): Promise<TestNetwork> {
  const programs = findLnd()
  if (programs === undefined) throw new Error('LND is not built: npm test -- --only lnd builds it.')
  const folder = mkdtempSync(join(tmpdir(), 'lnd-'))
  const nodes = [{ name: 'Own' }, { name: 'Remote', takesKeysends: kind !== 'pair' }]
  const network = await startLndNetwork({ programs, folder, nodes })
  const [own, remote] = network.nodes
  if (own === undefined || remote === undefined) throw new Error('the network lacks a node')
  return {
    ...network,
    own,
    remote,
    async stop() {
      await network.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
