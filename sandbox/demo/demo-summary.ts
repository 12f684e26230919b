import { SANDBOX_USERNAMES } from '../../lib/accounts/seed'
import type { Environment, Sandbox } from '../shared/settings'
import { PUBLIC_GATEWAY_WAIT_SECONDS, relayUrl, sampleAppOrigin } from './demo-processes'

/** Settings that commands in another terminal need too, when they came from this terminal's environment. */
const FOLLOWED = [
  'DATA_DIR',
  'VASP_NAME',
  'PORT',
  'VASP_DOMAIN',
  'NEXTAUTH_URL',
  'GATEWAY_PORT',
  'GATEWAY_ROOT_URL',
  'RELAY_PORT',
  'APP_PORT',
  'SANDBOX_PASSWORD',
]

/**
 * The four lines: the address to open, the users, the API, and the gateway. A fifth line is added when the
 * environment changed settings that other commands need too.
 */
export function summary(
  sandbox: Sandbox,
  env: Environment,
  { gateway, southbank }: { readonly gateway: boolean; readonly southbank?: Sandbox | undefined },
): string[] {
  const { settings } = sandbox
  const origin = settings.publicOrigin
  const users = `${SANDBOX_USERNAMES.slice(0, -1).join(', ')} or ${SANDBOX_USERNAMES.at(-1)}, password: ${settings.printedPassword}`
  const shop = sampleAppOrigin(sandbox)
  const banks =
    southbank === undefined
      ? origin
      : `${origin} (${settings.vaspName}) or ${southbank.settings.publicOrigin} (${southbank.settings.vaspName}, the other bank)`
  const click = gateway
    ? `${shop} (a shop to pay in), or ${banks}`
    : `${banks}, or ${shop} (a shop to pay in: give it a pairing URI from your gateway)`
  const command = 'npm run --silent gateway:config -- --format=python'
  const given = FOLLOWED.filter((name) => env[name]).map((name) => `${name}=${quoted(env[name] ?? '')}`)
  return [
    `Open     ${click}   (a sandbox: no real money)`,
    `Sign in  ${settings.printedPassword === undefined ? 'with your own users: SANDBOX_TOOLS is off' : `as ${users}`}`,
    `API      ${origin}${settings.apiBasePath}   a token for curl: npm run --silent token -- alice --permissions get_info,get_budget`,
    gateway
      ? `Gateway  ${sandbox.environment.GATEWAY_ROOT_URL} (a simulator)   settings for your own gateway: ${command}`
      : `Gateway  yours is expected at ${sandbox.environment.GATEWAY_ROOT_URL}, over the relay ${relayUrl(sandbox)}; its settings: ${command}`,
    ...(given.length === 0 ? [] : [`Also     put this before both commands: ${given.join(' ')}`]),
  ].map((line) => `  ${line}`)
}

/** What the demo decided about the gateway's settings, where the user may expect something else. */
export function gatewayNotes(
  { environment, ...sandbox }: Sandbox,
  { gateway }: { readonly gateway: boolean },
): string[] {
  const notes: string[] = []
  const own = relayUrl({ environment })
  const asked = environment.GATEWAY_RELAY_URL
  if (asked && asked.replace(/\/$/, '') !== own)
    notes.push(
      `GATEWAY_RELAY_URL=${quoted(asked)} is ignored: the demo starts its own relay at ${own}. RELAY_PORT moves it. A server started with npm start uses GATEWAY_RELAY_URL.`,
    )
  if (!gateway && !environment.PAYMENT_WAIT_SECONDS)
    notes.push(
      `${sandbox.settings.vaspName} answers a call after ${PUBLIC_GATEWAY_WAIT_SECONDS} seconds at the latest, because a public gateway carries out one request at a time. PAYMENT_WAIT_SECONDS sets another time.`,
    )
  return notes
}

function quoted(value: string): string {
  return /^[\w.:/@-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
}
