import { userInfo } from 'node:os'
import { chooseNode } from '../lib/lightning/choose-node'
import { operate, OperatorReply, OperatorRequest } from '../lib/payments/operator'
import { loadSettings } from '../lib/platform/config'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/platform/environment.js'
import { askRunning, openStopped, type Environment } from './instance'
import { PAYMENTS } from './operator-options'
import { parseCommandLine, readOptions } from './options'

/** The option for each field of the request. */
const OPTIONS: Readonly<Record<string, readonly [option: string, takes: string]>> = {
  paymentHash: ['--fail', 'the payment hash of --list: 64 lower-case hex digits'],
  peer: ['--accept', 'the public key of a node: 66 lower-case hex digits, the first two 02 or 03'],
  sentMsats: ['--sent', 'millisatoshis as npm run audit names them, such as 25000'],
  receivedMsats: ['--received', 'millisatoshis as npm run audit names them, such as 25000'],
  because: ['--because', 'a reason: one line of at most 500 characters'],
  by: ['--by', 'a name: one line of at most 200 characters'],
}

try {
  const request = readOptions(PAYMENTS, requestIn)
  const dataDir = dataDirOf(process.env)
  const env = completeEnvironment(process.env, readSettingsFile(dataDir) ?? {})
  const { done, lines } = (await askServer(env, request)) ?? (await openAndOperate(env, dataDir, request))
  for (const line of lines) (done ? console.log : console.error)(line)
  process.exitCode = done ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

/** @throws Error that names the option that is missing or wrong. */
function requestIn(args: readonly string[]): OperatorRequest {
  const { values } = parseCommandLine(PAYMENTS, args)
  const { list, fail, accept, sent, received, because, by = userInfo().username } = values
  const [asked, ...others] = [
    ...(list === true ? [{ do: 'list' }] : []),
    ...(fail === undefined ? [] : [{ do: 'fail', paymentHash: fail, by, because }]),
    ...(accept === undefined
      ? []
      : [{ do: 'accept', peer: accept, sentMsats: sent, receivedMsats: received, by, because }]),
  ]
  if (asked === undefined || others.length > 0) throw new Error('Give one of --list, --fail and --accept.')
  const request = OperatorRequest.safeParse(asked)
  if (request.success) return request.data
  const [field] = request.error.issues[0]?.path ?? []
  throw new Error(complaintOf(String(field), asked))
}

function complaintOf(field: string, asked: Readonly<Record<string, unknown>>): string {
  const [option, takes] = OPTIONS[field] ?? [field, 'something else']
  return asked[field] === undefined ? `${option} is missing.` : `${option} takes ${takes}.`
}

async function askServer(env: Environment, request: OperatorRequest): Promise<OperatorReply | undefined> {
  const answer = await askRunning(env, 'payments', request)
  return answer === undefined ? undefined : OperatorReply.parse(answer)
}

async function openAndOperate(env: Environment, dataDir: string, request: OperatorRequest): Promise<OperatorReply> {
  const { accountKeys: accounts } = chooseNode(loadSettings(env))
  const db = await openStopped(env.DATABASE_URL || undefined, dataDir)
  try {
    // The decision is stored in the database, so it needs no log line.
    const log = { warn: () => {} }
    return await operate({ db, log, accounts }, request)
  } finally {
    await db.close()
  }
}
