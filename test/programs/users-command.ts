import { runScript, type Ran } from './run-script'

/** Runs `npm run users` with this text on its standard input. */
export function runUsers(env: Readonly<Record<string, string>>, args: readonly string[], input = ''): Promise<Ran> {
  return runScript('scripts/users.ts', env, args, input)
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
  [
    ['password', 'carol'],
    'a new password\n',
    done('The password of carol was changed. All sessions have ended. Connected apps keep access.'),
  ],
  [['password', 'nobody'], 'a new password', refused('There is no user nobody. Nothing was changed.')],
  [['sign-out', 'carol'], '', done('All sessions of carol have ended. Connected apps keep access.')],
  [['sign-out', 'nobody'], '', refused('There is no user nobody. Nothing was changed.')],
  [
    ['remove', 'carol'],
    '',
    done("carol was removed. The ledger keeps the user's entries, and the name is never issued again."),
  ],
  [['remove', 'carol'], '', refused('There is no user carol. Nothing was changed.')],
  [['add', 'carol'], 'a new password', refused('The name carol is or was in use. Nothing was changed.')],
]
