import { PaymentPending, WalletError, type WalletBackend } from 'uma-auth-vasp'
import { accountOf } from '../accounts/users'
import { clientIdOfApp, insertLoginGrant } from '../connections/login-grants'
import { createConnection } from '../connections/service'
import type { CurrencyCode } from '../money/currencies'
import type { Settings } from '../platform/config'
import { isVaspError, VaspError } from '../platform/errors'
import type { Admission } from '../platform/http/rate-limits'
import { addressMethods } from './address-methods'
import type { Application } from './application'
import { makeLoadCaller, type Caller } from './callers'
import type { CommandMethod } from './faults'
import { invoiceMethods } from './invoice-methods'
import type { BankMethods } from './methods'
import { paymentMethods } from './payment-methods'
import { walletMethods } from './wallet-methods'

/** The interface that the protocol package requires of a bank, implemented with this bank's users, ledger and node. */
export function makeBank(app: Application): WalletBackend<Caller, CurrencyCode, Admission> {
  const loadCaller = makeLoadCaller(app.db)
  const { db, limits, events } = app
  const methods: BankMethods = {
    ...walletMethods(app),
    ...invoiceMethods(app),
    ...paymentMethods(app),
    ...addressMethods(app),
  }
  const translate = translated(app)
  const withFaults = (method: CommandMethod): CommandMethod => app.faults?.inMethod(method) ?? method
  return {
    ...(Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, translate(withFaults(atWork(method)))]),
    ) as unknown as BankMethods),
    admit: translate(async ({ id, userId }) => {
      limits.consume(id)
      return limits.admit(userId)
    }),
    logins: {
      create: translate(({ sessionId, appHost, clientId, ...login }) => {
        if (sessionId === undefined) throw new Error('a login belongs to a session')
        return insertLoginGrant(db, {
          ...login,
          sessionId,
          appHost: appHost ?? null,
          clientId: clientIdOfApp(clientId),
        })
      }),
      find: translate(async ({ id, userId }) => {
        const account = await accountOf(db, userId, id)
        if (account === undefined) return 'unknown-user'
        return account.status === 'active' && account.hasGrant ? 'open' : 'closed'
      }),
    },
    connections: {
      create: translate(async (connection) => {
        const outcome = await createConnection(app, connection)
        if (outcome === 'many') throw tooManyConnections(app.settings)
        const { id: connectionId, userId } = connection
        if (outcome === 'created')
          events.record({ kind: 'connection', name: 'connection created', userId, connectionId })
        return outcome
      }),
      open: translate(loadCaller),
    },
  }
}

function tooManyConnections({ maxActiveConnectionsPerUser: max, publicOrigin }: Settings): VaspError {
  return new VaspError(
    429,
    'RATE_LIMITED',
    `This user has ${max.toLocaleString('en-GB')} active connections, which is the maximum. Revoke the unused ones together at ${publicOrigin}/connections, then connect again.`,
  )
}

/** Counts a running command against the limit for all users together. */
function atWork(method: (...call: never[]) => unknown) {
  return async (caller: Caller, input: unknown, context: { readonly slot: Admission }): Promise<unknown> => {
    await context.slot.startWork()
    return method(...([caller, input, context] as never[]))
  }
}

/** Translates the bank's errors into the protocol's. A database that does not answer becomes 503; unexpected errors are thrown unchanged. */
function translated({ describeFailure }: Pick<Application, 'describeFailure'>) {
  return <Args extends unknown[], Result>(method: (...args: Args) => Result | Promise<Result>) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      try {
        return await method(...args)
      } catch (error) {
        throw toWalletError(error, describeFailure)
      }
    }
}

function toWalletError(error: unknown, describeFailure: Application['describeFailure']): unknown {
  const known = isVaspError(error) ? error : describeFailure(error)
  // The handler logs the error with its cause and answers without its text.
  if (!isVaspError(error) && known.status === 500) return error
  if (known.status === 504) return new PaymentPending(known.message)
  const retryAfter = known.options.headers?.['Retry-After']
  return new WalletError(known.code, known.message, {
    cause: known.cause,
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
  })
}
