import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { OPERATOR_PATH, operatorCredential } from '../lib/audit/ask'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/platform/environment.js'
import { OperatorReply, OperatorRequest, operate } from '../lib/payments/operator'
import { loadSettings } from '../lib/platform/config'
import { firstSentence } from '../sandbox/demo-arguments'
import { askRunning, openStopped, type Environment } from './instance'

const USAGE = `Use: npm run payments -- --list
     npm run payments -- --fail=HASH --because="…"
       gives up a payment whose node is gone for good
     npm run payments -- --accept=NODE --up-to=NUMBER --because="…"
       books what a node says and our books have forgotten, up to a number of the list
Add --by="…" to say who decides; otherwise it is whoever runs this. docs/operate.md says when.`

/** By the field of the request that an option fills. */
const OPTIONS: Readonly<Record<string, readonly [option: string, takes: string]>> = {
  paymentHash: ['--fail', 'the payment hash of --list: 64 lower-case hex digits'],
  peer: ['--accept', 'the public key of a node: 66 lower-case hex digits, the first two 02 or 03'],
  upTo: ['--up-to', 'a number of --list, such as 17'],
  because: ['--because', 'a reason: one line of at most 500 characters'],
  by: ['--by', 'a name: one line of at most 200 characters'],
}

// What a person decides about payments to other nodes. Exit code 0 when it was done, 1 when it was refused, 2 when nobody could
// be asked.
try {
  const request = requestIn(process.argv.slice(2))
  const dataDir = dataDirOf(process.env)
  const env = completeEnvironment(process.env, readSettingsFile(dataDir) ?? {})
  const { done, lines } = (await askServer(env, request)) ?? (await openAndOperate(env, dataDir, request))
  for (const line of lines) (done ? console.log : console.error)(line)
  process.exitCode = done ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

/** @throws Error with what is wrong and the usage when the arguments say nothing that can be done. */
function requestIn(args: readonly string[]): OperatorRequest {
  const { list, fail, accept, 'up-to': upTo, because, by = userInfo().username } = parse([...args])
  const [asked, ...others] = [
    ...(list === true ? [{ do: 'list' }] : []),
    ...(fail === undefined ? [] : [{ do: 'fail', paymentHash: fail, by, because }]),
    ...(accept === undefined ? [] : [{ do: 'accept', peer: accept, upTo, by, because }]),
  ]
  if (asked === undefined || others.length > 0) throw wrong('Say one of --list, --fail and --accept.')
  const request = OperatorRequest.safeParse(asked)
  if (request.success) return request.data
  const [field] = request.error.issues[0]?.path ?? []
  throw wrong(complaintOf(String(field), asked))
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const list = { type: 'boolean' } as const
  try {
    return parseArgs({ args, options: { list, fail: text, accept: text, 'up-to': text, because: text, by: text } })
      .values
  } catch (error) {
    throw wrong(firstSentence(error), error)
  }
}

function complaintOf(field: string, asked: Readonly<Record<string, unknown>>): string {
  const [option, takes] = OPTIONS[field] ?? [field, 'something else']
  return asked[field] === undefined ? `${option} is missing.` : `${option} takes ${takes}.`
}

function wrong(line: string, cause?: unknown): Error {
  return new Error(`${line}\n\n${USAGE}`, { cause })
}

async function askServer(env: Environment, request: OperatorRequest): Promise<OperatorReply | undefined> {
  const body = JSON.stringify(request)
  const answer = await askRunning(env, OPERATOR_PATH, (secret, nowSeconds) => ({
    body,
    headers: { Authorization: operatorCredential(secret, nowSeconds, body), 'Content-Type': 'application/json' },
  }))
  return answer === undefined ? undefined : OperatorReply.parse(answer)
}

async function openAndOperate(env: Environment, dataDir: string, request: OperatorRequest): Promise<OperatorReply> {
  const { lightningPeers } = loadSettings(env)
  const db = await openStopped(env.DATABASE_URL || undefined, dataDir)
  try {
    // Nobody reads a log of this; the decision is in the database.
    const log = { warn: () => {} }
    return await operate({ db, log, accounts: lightningPeers.map(({ publicKeyHex }) => publicKeyHex) }, request)
  } finally {
    await db.close()
  }
}
