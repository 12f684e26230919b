import { operateUsers, type UsersRequest } from '../lib/accounts/operator'
import { makePasswords } from '../lib/accounts/sign-in/passwords'
import { openHouseAccounts } from '../lib/ledger/accounts'
import type { OperatorReply } from '../lib/payments/operator'
import { loadSettings } from '../lib/platform/config'
import type { Database } from '../lib/platform/db/database'
import { carryOut, givenServer, runCommand, type GivenServer } from './instance'
import { USERS } from './operator-options'
import { readOptions } from './options'
import { readPassword } from './password-input'
import { readUsersArguments, readUsersRequest } from './users-arguments'

await runCommand(async () => {
  const asked = readOptions(USERS, readUsersArguments)
  const request = 'password' in asked ? readUsersRequest({ ...asked, password: await readPassword() }) : asked
  const server = givenServer()
  for (let part: UsersRequest | undefined = request; part !== undefined;) {
    const { next }: OperatorReply = await carryOut(server, 'users', part, operateOnDatabase(server, part))
    part = next === undefined ? undefined : { do: 'list', after: next }
  }
})

function operateOnDatabase({ env }: GivenServer, request: UsersRequest) {
  return async (db: Database) => {
    const { sandboxTools } = loadSettings(env)
    const house = await openHouseAccounts(db)
    return operateUsers({ db, house, passwords: makePasswords(), log: { info: () => {} }, sandboxTools }, request)
  }
}
