import { parseArgs } from 'node:util'
import { fetchToken } from '../sandbox/fetch-token'
import { NORTHBANK, dataDirOf, readSettings, settingsPath } from '../sandbox/settings'

// Prints a long-lived token of a real connection: signs in, follows the login redirect and exchanges, as a gateway would.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    permissions: { type: 'string', default: 'get_info,get_balance' },
    expiration: { type: 'string' },
    password: { type: 'string', default: 'sandbox' },
  },
})
const [username] = positionals

try {
  if (username === undefined)
    throw new Error('Usage: npm run --silent token -- alice --permissions get_info,get_balance [--expiration SECONDS]')
  const expiration = readExpiration(values.expiration)
  const settings = { ...readSettings(settingsPath(process.env.DATA_DIR ?? dataDirOf(NORTHBANK))), ...process.env }
  const token = await fetchToken({
    vaspOrigin: settings.NEXTAUTH_URL ?? '',
    gatewayRootUrl: settings.GATEWAY_ROOT_URL ?? '',
    instance: (settings.VASP_NAME ?? '').toLowerCase().replaceAll(' ', '-'),
    username,
    password: values.password,
    permissions: values.permissions.split(',').filter((name) => name !== ''),
    expiration,
  })
  console.log(token)
} catch (error) {
  console.error(error instanceof Error ? explain(error) : String(error))
  process.exitCode = 1
}

/** Checked here too: what is no number would go out as `null`, and come back as a token without an end. */
function readExpiration(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text)) return text === undefined ? undefined : Number(text)
  const inAnHour = Math.floor(Date.now() / 1000) + 3600
  throw new Error(`--expiration takes seconds since 1970, such as ${inAnHour} for an hour from now.`)
}

function explain(error: Error): string {
  const cause = error.cause as { code?: string } | undefined
  const code = cause?.code ?? (error as { code?: string }).code
  if (code === 'ECONNREFUSED') return 'Nothing answers there. Start it first: npm run demo'
  if (code === 'ENOENT') return 'There are no settings yet. Start it once: npm run demo'
  return error.message
}
