import { certificateProblem } from '../lib/platform/net/certificate-problem'
import { fetchToken } from '../sandbox/shared/fetch-token'
import { givenSandbox } from '../sandbox/shared/settings'
import { readOptions } from './options'
import { readPassword } from './password-input'
import { readTokenArguments, TOKEN, type TokenArguments } from './token-arguments'

const given = readOptions(TOKEN, (args) => readTokenArguments(args, Math.floor(Date.now() / 1000)))
try {
  console.log(await tokenFor(given))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/** Signs in, follows the login redirect and exchanges the login token, as a gateway does. */
async function tokenFor({ username, readsPassword, permissions, expiresAtSeconds }: TokenArguments): Promise<string> {
  const { settings } = givenSandbox(process.env)
  const password = readsPassword ? await readPassword() : (settings.printedPassword ?? '')
  try {
    return await fetchToken({
      vaspOrigin: settings.publicOrigin,
      gatewayRootUrl: settings.gatewayRootUrl.href.replace(/\/$/, ''),
      instance: settings.instance,
      username,
      password,
      teamPassword: settings.teamPassword,
      permissions,
      expiration: expiresAtSeconds,
    })
  } catch (error) {
    const certificate = certificateProblem(error)
    if (certificate !== undefined)
      throw new Error(`No token from ${settings.publicOrigin}: ${certificate}.`, { cause: error })
    if (isRefusedConnection(error))
      throw new Error(
        `Nothing answers at ${settings.publicOrigin}. Start it first, with npm run demo, or give this command the PORT of the server.`,
        { cause: error },
      )
    throw error
  }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return cause?.code === 'ECONNREFUSED'
}
