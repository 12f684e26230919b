import type { Settings } from '../platform/config'
import { lndNode } from './lnd/open'
import type { NodeChoice } from './opened-node'
import { simulatedNode } from './simulated-node/open'

/** The Lightning node of this VASP. Nothing else depends on which node it is. */
export function chooseNode(settings: Settings): NodeChoice {
  return settings.lnd === undefined ? simulatedNode(settings) : lndNode(settings)
}
