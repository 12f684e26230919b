import { UsersRequest } from '../lib/accounts/operator'
import { USERS } from './operator-options'
import { parseCommandLine } from './options'

/** Replaces the password until it is read, so that other mistakes are reported before the operator types the password. */
const PLACEHOLDER = 'not read yet'

const ACTIONS = ['add', 'list', 'suspend', 'resume', 'password', 'sign-out', 'remove'] as const

/** What each field of the request takes. */
const TAKES: Readonly<Record<string, string>> = {
  username: 'A user name has 1 to 63 of the characters a-z 0-9 _ . + -',
  displayName: '--name takes 1 to 80 characters.',
  wallets:
    '--wallets takes known currencies such as USD,SAT or, with opening balances in smallest units, USD:100000,SAT:5000.',
  password: 'A password has 8 to 200 characters. Send it on standard input, on one line.',
}

/** @throws Error that names the word or option that is missing or wrong. */
export function readUsersArguments(args: readonly string[]): UsersRequest {
  const { values, words } = parseCommandLine(USERS, args)
  const [action, username, ...more] = words
  if (!ACTIONS.some((each) => each === action)) throw new Error(`Give one of ${ACTIONS.join(', ')}.`)
  if (action !== 'add' && (values.name ?? values.wallets) !== undefined)
    throw new Error('--name and --wallets belong to add.')
  if (action === 'list' && username !== undefined) throw new Error('list takes no user name.')
  if (more.length > 0 || (action !== 'list' && username === undefined))
    throw new Error(`Give one user name after ${action}.`)
  return readUsersRequest({
    do: action,
    ...(action === 'list' ? {} : { username }),
    ...(action === 'add' ? { displayName: values.name ?? username, wallets: walletsIn(values.wallets ?? 'USD') } : {}),
    ...(action === 'add' || action === 'password' ? { password: PLACEHOLDER } : {}),
  })
}

/** @throws Error that says what the wrong field takes. */
export function readUsersRequest(asked: Readonly<Record<string, unknown>>): UsersRequest {
  const request = UsersRequest.safeParse(asked)
  if (request.success) return request.data
  throw new Error(TAKES[String(request.error.issues[0]?.path[0])] ?? 'The command is not valid.')
}

function walletsIn(text: string): unknown[] {
  return text.split(',').map((each) => {
    const [code, opening = '0'] = each.trim().split(':')
    return { code, opening }
  })
}
