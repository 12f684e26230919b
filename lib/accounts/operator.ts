import { z } from 'zod'
import { walletOrder, type HouseAccounts } from '../ledger/accounts'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { toLedgerUnits } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { prismaCall } from '../platform/db/prisma-call'
import { statement } from '../platform/db/statement'
import type { Log } from '../platform/log'
import { SANDBOX_USERNAMES } from './seed'
import { signOutUser } from './sessions/session-store'
import type { Passwords } from './sign-in/passwords'
import { closeUser, isUsername } from './users'

const Username = z.string().refine(isUsername)
const Password = z.string().min(8).max(200)
/** Smallest units of the currency. */
const Opening = z.string().regex(/^(0|[1-9]\d{0,14})$/)

/** What an operator may do to the users of a VASP. */
export const UsersRequest = z.discriminatedUnion('do', [
  /** Lists one page of users, those behind the user `after`. */
  z.strictObject({ do: z.literal('list'), after: Username.optional() }),
  z.strictObject({
    do: z.literal('add'),
    username: Username,
    displayName: z.string().trim().min(1).max(80),
    wallets: z
      .array(z.strictObject({ code: z.string().refine(isCurrencyCode), opening: Opening }))
      .min(1)
      .max(20),
    password: Password,
  }),
  z.strictObject({ do: z.literal('suspend'), username: Username }),
  z.strictObject({ do: z.literal('resume'), username: Username }),
  z.strictObject({ do: z.literal('password'), username: Username, password: Password }),
  z.strictObject({ do: z.literal('sign-out'), username: Username }),
  z.strictObject({ do: z.literal('remove'), username: Username }),
])
export type UsersRequest = z.infer<typeof UsersRequest>

interface UsersPorts {
  readonly db: Database
  readonly house: HouseAccounts
  readonly passwords: Pick<Passwords, 'hash'>
  readonly log: Pick<Log, 'info'>
  /** Opening balances are test money, so a server without sandbox tools refuses them. */
  readonly sandboxTools: boolean
}

interface UsersReply {
  readonly done: boolean
  readonly lines: readonly string[]
  /** More users follow: the `after` of the next request. */
  readonly next?: string | undefined
}

const ADD = statement<{ outcome: string }>(
  'add_user',
  `select create_user($1, $2, $3, $4::text[], $5::bigint[], $6::bigint[], false, null, null, null, null, null) as outcome`,
)
/** Users of one answer. */
export const LISTED = 1_000
const LIST = statement<{ id: string; line: string }>(
  'list_users',
  `select u.id, u.id || '  ' || u.status || '  '
          || coalesce((select string_agg(w.currency_code, ' ' order by ${walletOrder('u.default_currency')}) from wallets w where w.user_id = u.id), '-')
          || case when u.made_on_demand then '  temporary, will be closed if unused until ' || to_char(u.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')
                  else '' end as line
   from users u
   where u.status <> 'closed'
     and (u.made_on_demand, u.created_at, u.id) > (coalesce((select made_on_demand from users where id = $1), false),
                                                   coalesce((select created_at from users where id = $1), '-infinity'), $1)
   order by u.made_on_demand, u.created_at, u.id limit ${LISTED}`,
)

/** Carries out an operator's command about users, and returns lines that report the result or the reason for a refusal. */
export async function operateUsers(ports: UsersPorts, request: UsersRequest): Promise<UsersReply> {
  const { db, log } = ports
  switch (request.do) {
    case 'list': {
      const users = await db.query(LIST, [request.after ?? ''])
      if (users.length === 0 && request.after === undefined) return done('There are no users.')
      const next = users.length < LISTED ? undefined : users.at(-1)?.id
      return { done: true, lines: users.map(({ line }) => line), next }
    }
    case 'add':
      return add(ports, request)
    case 'suspend': {
      if (!(await setState(db, request.username, 'active', 'suspended'))) return refused(request.username, 'active')
      log.info({ username: request.username }, 'user suspended')
      return done(`${request.username} is suspended. Payments in progress end as usual.`)
    }
    case 'resume': {
      if (!(await setState(db, request.username, 'suspended', 'active'))) return refused(request.username, 'suspended')
      log.info({ username: request.username }, 'user resumed')
      return done(`${request.username} is active again, with all connections that were not revoked.`)
    }
    case 'password': {
      if (ports.sandboxTools && SANDBOX_USERNAMES.includes(request.username))
        return { done: false, lines: ["The test users' password is set by SANDBOX_PASSWORD. Nothing was changed."] }
      const passwordHash = await ports.passwords.hash(request.password)
      if (!(await signOutUser(db, request.username, { passwordHash }))) return unknown(request.username)
      log.info({ username: request.username }, 'password changed')
      return done(
        `The password of ${request.username} was changed. All sessions have ended. Connected apps keep access.`,
      )
    }
    case 'sign-out': {
      if (!(await signOutUser(db, request.username))) return unknown(request.username)
      log.info({ username: request.username }, 'signed out by the operator')
      return done(`All sessions of ${request.username} have ended. Connected apps keep access.`)
    }
    case 'remove':
      return (await closeUser(ports, request.username))
        ? done(
            `${request.username} was removed. The ledger keeps the user's entries, and the name is never issued again.`,
          )
        : unknown(request.username)
  }
}

async function add(
  { db, house, passwords, log, sandboxTools }: UsersPorts,
  { username, displayName, wallets, password }: Extract<UsersRequest, { do: 'add' }>,
): Promise<UsersReply> {
  const codes = wallets.map(({ code }) => code)
  if (new Set(codes).size < codes.length)
    return { done: false, lines: ['A currency is listed twice. Nothing was changed.'] }
  if (!sandboxTools && wallets.some(({ opening }) => opening !== '0'))
    return { done: false, lines: ['An opening balance needs SANDBOX_TOOLS=on or private. Nothing was changed.'] }
  const [row] = await db.query(ADD, [
    username,
    displayName,
    await passwords.hash(password),
    codes,
    codes.map((code) => house('faucet', code)),
    wallets.map(({ code, opening }) => openingUnits(opening, code)),
  ])
  if (row?.outcome !== 'created')
    return { done: false, lines: [`The name ${username} is or was in use. Nothing was changed.`] }
  log.info({ username }, 'user added')
  return done(`${username} was added.`)
}

function openingUnits(opening: string, code: CurrencyCode): bigint {
  return toLedgerUnits(BigInt(opening), code)
}

type State = 'active' | 'suspended'
/** False, and nothing changes, unless the user has the state `from`. */
const setState = prismaCall(
  'setState',
  async ({ user }, username: string, from: State, to: State) =>
    (await user.updateMany({ where: { id: username, status: from }, data: { status: to } })).count > 0,
)

function done(line: string): UsersReply {
  return { done: true, lines: [line] }
}

function unknown(username: string): UsersReply {
  return { done: false, lines: [`There is no user ${username}. Nothing was changed.`] }
}

function refused(username: string, needed: string): UsersReply {
  return { done: false, lines: [`There is no ${needed} user ${username}. Nothing was changed.`] }
}
