import { USERS_PATH, operatorCredential } from '../lib/audit/ask'
import { UsersRequest, operateUsers } from '../lib/accounts/operator'
import { makePasswords } from '../lib/accounts/passwords'
import { openHouseAccounts } from '../lib/ledger/accounts'
import { OperatorReply } from '../lib/payments/operator'
import { loadSettings } from '../lib/platform/config'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../lib/platform/environment.js'
import { askRunning, openStopped, type Environment } from './instance'
import { USERS } from './operator-options'
import { parseCommandLine, readOptions } from './options'

/** What each field of the request takes. */
const TAKES: Readonly<Record<string, string>> = {
  username: 'A user name has 1 to 63 of the characters a-z 0-9 _ . + -',
  displayName: '--name takes 1 to 80 characters.',
  wallets:
    '--wallets takes known currencies such as USD,SAT or, with opening balances in smallest units, USD:100000,SAT:5000.',
  password: 'A password has 8 to 200 characters. Send it on standard input, on one line.',
}

try {
  const asked = readOptions(USERS, requestIn)
  const request = await withPassword(asked)
  const dataDir = dataDirOf(process.env)
  const env = completeEnvironment(process.env, readSettingsFile(dataDir) ?? {})
  const { done, lines } = (await askServer(env, request)) ?? (await openAndOperate(env, dataDir, request))
  for (const line of lines) (done ? console.log : console.error)(line)
  process.exitCode = done ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

/** @throws Error that names the word or option that is missing or wrong. */
function requestIn(args: readonly string[]): Readonly<Record<string, unknown>> {
  const { values, words } = parseCommandLine(USERS, args)
  const [action, username, ...more] = words
  if (more.length > 0) throw new Error('Give one action and one user name.')
  if (action === 'list') return { do: action }
  if (action === 'add')
    return { do: action, username, displayName: values.name ?? username, wallets: walletsIn(values.wallets ?? 'USD') }
  if (action !== undefined && ['suspend', 'resume', 'password', 'remove'].includes(action))
    return { do: action, username }
  throw new Error('Give one of add, list, suspend, resume, password and remove.')
}

function walletsIn(text: string): unknown[] {
  return text.split(',').map((each) => {
    const [code, opening = '0'] = each.trim().split(':')
    return { code, opening }
  })
}

/** A password on the command line would be in the list of processes and in the history of the shell. */
async function withPassword(asked: Readonly<Record<string, unknown>>): Promise<UsersRequest> {
  const needsPassword = asked.do === 'add' || asked.do === 'password'
  const request = UsersRequest.safeParse(needsPassword ? { ...asked, password: await readInput() } : asked)
  if (request.success) return request.data
  throw new Error(TAKES[String(request.error.issues[0]?.path[0])] ?? 'The command is not valid.')
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) console.error('Type the password and press Enter:')
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > 1_000) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}

async function askServer(env: Environment, request: UsersRequest): Promise<OperatorReply | undefined> {
  const body = JSON.stringify(request)
  const answer = await askRunning(env, USERS_PATH, (secret, nowSeconds) => ({
    body,
    headers: {
      Authorization: operatorCredential(secret, nowSeconds, body, 'users'),
      'Content-Type': 'application/json',
    },
  }))
  return answer === undefined ? undefined : OperatorReply.parse(answer)
}

async function openAndOperate(env: Environment, dataDir: string, request: UsersRequest) {
  const { sandboxTools } = loadSettings(env)
  const db = await openStopped(env.DATABASE_URL || undefined, dataDir)
  try {
    const house = await openHouseAccounts(db)
    return await operateUsers({ db, house, passwords: makePasswords(), log: { info: () => {} }, sandboxTools }, request)
  } finally {
    await db.close()
  }
}
