import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { OPERATOR_PATH, operatorCredential } from '../lib/audit/ask'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/environment.js'
import { OperatorReply, OperatorRequest, operate } from '../lib/payments/operator'
import { loadSettings } from '../lib/settings'
import { askRunning, openStopped, type Environment } from './instance'

const USAGE = `Use: npm run payments -- --list
     npm run payments -- --fail=HASH --because="…"
       gives up a payment whose node is gone for good
     npm run payments -- --accept=NODE --up-to=NUMBER --because="…"
       books what a node says and our books have forgotten, up to a number of the list
Add --by="…" to say who decides; otherwise it is whoever runs this. docs/operate.md says when.`

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

/** @throws Error with the usage when the arguments say nothing that can be done. */
function requestIn(args: readonly string[]): OperatorRequest {
  const text = { type: 'string' } as const
  const options = {
    list: { type: 'boolean' },
    fail: text,
    accept: text,
    'up-to': text,
    because: text,
    by: text,
  } as const
  let given
  try {
    given = parseArgs({ args: [...args], options }).values
  } catch {
    throw new Error(USAGE)
  }
  const { list, fail, accept, 'up-to': upTo, because, by = userInfo().username } = given
  const asked = [
    ...(list === true ? [{ do: 'list' }] : []),
    ...(fail === undefined ? [] : [{ do: 'fail', paymentHash: fail, by, because }]),
    ...(accept === undefined ? [] : [{ do: 'accept', peer: accept, upTo, by, because }]),
  ]
  const request = OperatorRequest.safeParse(asked[0])
  if (asked.length !== 1 || !request.success) throw new Error(USAGE)
  return request.data
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
    return await operate({ db, log, peers: lightningPeers.map(({ publicKeyHex }) => publicKeyHex) }, request)
  } finally {
    await db.close()
  }
}
