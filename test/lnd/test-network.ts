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

/** The node of a VASP and a remote one, with a channel, in a folder that is deleted when they stop. */
export async function startTestNetwork(): Promise<TestNetwork> {
  const programs = findLnd()
  if (programs === undefined) throw new Error('LND is not built: npm test -- --only lnd builds it.')
  const folder = mkdtempSync(join(tmpdir(), 'lnd-'))
  const nodes = [{ name: 'Own' }, { name: 'Remote', takesKeysends: true }]
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
