import { AuditRequest } from '../lib/audit/auditor'
import { isNodeKey } from '../lib/lightning/node-key'
import { AUDIT } from './operator-options'
import { parseCommandLine } from './options'

export interface AuditArguments {
  /** Payment ids; none without the option. */
  readonly acknowledge: readonly string[]
  readonly whole: boolean
  /** The public key of a node, hex. */
  readonly acceptNode: string | undefined
}

/** @throws Error when an option has a wrong value, or when `--accept-node` has another beside it. */
export function readAuditArguments(args: readonly string[]): AuditArguments {
  const { whole = false, 'accept-node': acceptNode, ...values } = parseCommandLine(AUDIT, args).values
  const acknowledge = values.acknowledge?.split(',')
  if (!AuditRequest.safeParse({ acknowledge }).success)
    throw new Error('--acknowledge takes the payment ids that npm run audit names, separated by commas.')
  if (acceptNode !== undefined && !(/^0[23][0-9a-f]{64}$/.test(acceptNode) && isNodeKey(acceptNode)))
    throw new Error('--accept-node takes the public key of a node, 66 hex digits, as the start names it.')
  if (acceptNode !== undefined && (whole || acknowledge !== undefined))
    throw new Error('--accept-node checks nothing: give it alone.')
  return { acknowledge: acknowledge ?? [], whole, acceptNode }
}
