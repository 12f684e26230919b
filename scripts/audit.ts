import type { AuditReply } from '../lib/audit/auditor'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '../lib/audit/invariants'
import { acknowledgeLosses, readLosses } from '../lib/audit/losses'
import { passBreaches, readBreaches, readLastBreach, storeBreaches } from '../lib/audit/stored'
import { chooseNode } from '../lib/lightning/choose-node'
import type { NodeBooks } from '../lib/lightning/opened-node'
import { loadSettings, SettingsError } from '../lib/platform/config'
import type { Database } from '../lib/platform/db/database'
import { acceptNode } from './accept-node'
import { readAuditArguments, type AuditArguments } from './audit-arguments'
import { askRunning, givenServer, runCommand, withStopped, type Environment } from './instance'
import { AUDIT } from './operator-options'
import { readOptions } from './options'

await runCommand(async () => {
  const given = readOptions(AUDIT, readAuditArguments)
  const server = givenServer()
  if (given.acceptNode !== undefined) return acceptNode(server, given.acceptNode)
  const report =
    (await askServer(server.env, given)) ??
    (await withStopped(server, (db) => auditDatabase(db, given, booksOfNode(server.env))))
  const { breaches, stored = [], review = [] } = report
  const missed = notAcknowledged(given.acknowledge, report)
  for (const id of missed) console.log(`Payment ${id} is not an unacknowledged loss, so nothing was acknowledged.`)
  for (const { invariant, detail } of breaches) console.log(`${invariant}  ${detail}`)
  for (const each of review) console.log(`to review: ${each}`)
  console.log(
    breaches.length === 0
      ? `The books balance: N1 to N5 and N7 hold up to posting ${report.postings}.`
      : 'The books do not balance.',
  )
  if (stored.length > 0) {
    console.log('An earlier audit found breaches, and payments are stopped until npm run audit -- --whole finds none:')
    for (const { invariant, detail } of stored) console.log(`stored: ${invariant}  ${detail}`)
  }
  process.exitCode = breaches.length + stored.length + review.length + missed.length === 0 ? 0 : 1
})

/** The named payments that were not losses, or were acknowledged before. */
function notAcknowledged(named: readonly string[], { acknowledged }: AuditReply): string[] {
  return acknowledged === undefined ? [] : named.filter((id) => !acknowledged.includes(id))
}

/** Undefined when no server answers or its secret is not known. */
async function askServer(env: Environment, { acknowledge, whole }: AuditArguments): Promise<AuditReply | undefined> {
  const request = { ...(whole && { whole }), ...(acknowledge.length > 0 && { acknowledge }) }
  return (await askRunning(env, 'audit', request)) as AuditReply | undefined
}

/** Without the server's settings, the node is taken for one with its books here: this compares more, never less. */
function booksOfNode(env: Environment): NodeBooks {
  try {
    return chooseNode(loadSettings(env)).books
  } catch (error) {
    if (error instanceof SettingsError) return 'here'
    throw error
  }
}

async function auditDatabase(
  db: Database,
  { acknowledge, whole }: AuditArguments,
  books: NodeBooks,
): Promise<AuditReply> {
  const done = await acknowledgeLosses(db, acknowledge.map(BigInt))
  const last = await readLastBreach(db)
  const mark = await readAuditMark(db)
  const found = await findBreaches(db, FROM_THE_BEGINNING, mark, books)
  await storeBreaches(db, found)
  if (whole && found.length === 0) await passBreaches(db, last)
  const stored = (await readBreaches(db)).filter((one) => !found.some(({ detail }) => detail === one.detail))
  const breaches = [...found, ...(await readLosses(db))]
  return { postings: String(mark.lastPosting), breaches, stored, acknowledged: done.map(String) }
}
