import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { scriptPath } from './script'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `npm run users` with this text on its standard input. */
export async function runUsers(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [scriptPath('scripts/users.ts'), ...args], {
    env: { NODE_ENV: 'test', PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  // A command that refuses its arguments does not read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { code, out: out.trim(), err: err.trim() }
}

type Step = readonly [args: readonly string[], input: string, expected: Ran]

const done = (out: string): Ran => ({ code: 0, out, err: '' })
const refused = (err: string): Ran => ({ code: 1, out: '', err })

/** Runs each action of the command once, repeats that change nothing, and refused calls, on a sandbox without a user carol. */
export const USERS_WALK: readonly Step[] = [
  [
    ['add', 'carol', '--name=Carol Jones', '--wallets=USD:100000,SAT'],
    'a päss word\r\nnot the password\n',
    done('carol was added.'),
  ],
  [['add', 'carol'], 'another password', refused('The name carol is or was in use. Nothing was changed.')],
  [['add', 'dora', '--wallets=USD,USD'], 'a password', refused('A currency is listed twice. Nothing was changed.')],
  [['suspend', 'carol'], '', done('carol is suspended. Payments in progress end as usual.')],
  [['suspend', 'carol'], '', refused('There is no active user carol. Nothing was changed.')],
  [['resume', 'carol'], '', done('carol is active again, with all connections that were not revoked.')],
  [['resume', 'nobody'], '', refused('There is no suspended user nobody. Nothing was changed.')],
  [['password', 'carol'], 'a new password\n', done('The password of carol was changed. Open sessions stay open.')],
  [['password', 'nobody'], 'a new password', refused('There is no user nobody. Nothing was changed.')],
  [
    ['remove', 'carol'],
    '',
    done("carol was removed. The ledger keeps the user's entries, and the name is never issued again."),
  ],
  [['remove', 'carol'], '', refused('There is no user carol. Nothing was changed.')],
  [['add', 'carol'], 'a new password', refused('The name carol is or was in use. Nothing was changed.')],
]
