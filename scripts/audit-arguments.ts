import { AuditRequest } from '../lib/audit/auditor'
import { isNodeKey } from '../lib/lightning/node-key'
import { AUDIT } from './operator-options'
import { parseCommandLine } from './options'

export interface AuditArguments {
  /** Payment ids; none without the option. */
  readonly acknowledged: readonly string[]
  /** The public key of a node, hex. */
  readonly acceptNode: string | undefined
}

/** @throws Error when an option has anything else, or both are given. */
export function readAuditArguments(args: readonly string[]): AuditArguments {
  const { acknowledge, 'accept-node': acceptNode } = parseCommandLine(AUDIT, args).values
  const acknowledged = acknowledge?.split(',')
  if (!AuditRequest.safeParse({ acknowledge: acknowledged }).success)
    throw new Error('--acknowledge takes the payment ids that npm run audit names, separated by commas.')
  if (acceptNode !== undefined && !(/^0[23][0-9a-f]{64}$/.test(acceptNode) && isNodeKey(acceptNode)))
    throw new Error('--accept-node takes the public key of a node, 66 hex digits, as the start names it.')
  if (acceptNode !== undefined && acknowledged !== undefined)
    throw new Error('--accept-node and --acknowledge are two decisions: give one of them.')
  return { acknowledged: acknowledged ?? [], acceptNode }
}
