import { fetchToken } from '../sandbox/fetch-token'
import { givenSandbox } from '../sandbox/settings'
import { TOKEN_USAGE, readTokenArguments } from '../sandbox/token-arguments'

// Prints a long-lived token of a real connection: signs in, follows the login redirect and exchanges, as a gateway would.
try {
  const given = readTokenArguments(process.argv.slice(2), Math.floor(Date.now() / 1000))
  console.log(given === 'help' ? TOKEN_USAGE : await tokenFor(given))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function tokenFor(given: Exclude<ReturnType<typeof readTokenArguments>, 'help'>): Promise<string> {
  const { settings } = givenSandbox(process.env)
  try {
    return await fetchToken({
      vaspOrigin: settings.publicOrigin,
      gatewayRootUrl: settings.gatewayRootUrl.href.replace(/\/$/, ''),
      instance: settings.instance,
      username: given.username,
      password: given.password ?? settings.printedPassword ?? '',
      permissions: given.permissions,
      expiration: given.expiresAtSeconds,
    })
  } catch (error) {
    if (isRefusedConnection(error))
      throw new Error(
        `Nothing answers at ${settings.publicOrigin}. Start it first, with npm run demo, or give this command the PORT it has.`,
        { cause: error },
      )
    throw error
  }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return cause?.code === 'ECONNREFUSED'
}
