import { AuditRequest } from '../lib/audit/auditor'
import { AUDIT } from './operator-options'
import { parseCommandLine } from './options'

/** Payment ids; none without the option. @throws Error when the option has anything else. */
export function readAuditArguments(args: readonly string[]): string[] {
  const acknowledge = parseCommandLine(AUDIT, args).values.acknowledge?.split(',')
  if (!AuditRequest.safeParse({ acknowledge }).success)
    throw new Error('--acknowledge takes the payment ids that npm run audit names, separated by commas.')
  return acknowledge ?? []
}
