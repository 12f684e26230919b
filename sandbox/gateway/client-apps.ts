import { decode } from 'nostr-tools/nip19'
import { z } from 'zod'
import { visibleText } from '../../lib/platform/visible-text'
import { RelayLink } from '../nostr/relay-link'
import { jsonOf } from '../shared/json'
import { isThisMachine } from '../shared/own-site'
import { isRegistered, redirectProblem } from './redirect-uri'
import type { ClientApp } from './store'

const IDENTITY_KIND = 13_195
const PROFILE_KIND = 0
const PATIENCE_MS = 5_000
const MAX_NAME_LENGTH = 80

/** A fault of the app, shown on a page with this status. */
export class AppProblem extends Error {
  override readonly name = 'AppProblem'
  constructor(
    readonly status: 400 | 403 | 404 | 502,
    message: string,
  ) {
    super(message)
  }
}

const word = z.string().nullish()
const list = z.array(z.string()).nullish()
const Identity = z.object({
  name: word,
  display_name: word,
  // The UMA Auth specification and the public gateway name this list differently.
  allowed_redirect_urls: list,
  allowed_redirect_uris: list,
})

/** A `client_id`: `<npub or hex key> <relay>`. */
export interface ClientId {
  readonly text: string
  readonly publicKey: string
  readonly relay: string
}

/** @throws AppProblem 400 */
export function readClientId(text: string): ClientId {
  const [key = '', relay = '', ...rest] = text.split(' ')
  const publicKey = publicKeyOf(key)
  if (rest.length > 0 || publicKey === undefined || !isRelayUrl(relay))
    throw new AppProblem(400, 'client_id must be the app’s public key and its relay, separated by one space.')
  return { text, publicKey, relay }
}

/**
 * Looks the app up on its relay. Its identity event (kind 13195) takes precedence over its profile (kind 0). Looked up at each
 * start of a login, as the public gateway does.
 * @throws AppProblem 404 for an unknown app, 502 when the relay does not answer.
 */
export async function findClientApp({ text: clientId, publicKey, relay }: ClientId): Promise<ClientApp> {
  const link = new RelayLink(relay)
  const filter = { authors: [publicKey], kinds: [IDENTITY_KIND, PROFILE_KIND], limit: 2 }
  const events = await link
    .list(filter, PATIENCE_MS)
    .catch((error: unknown) => {
      throw new AppProblem(502, `The app’s relay ${relay} does not answer: ${String(error)}`)
    })
    .finally(() => link.stop())
  const event = events.find(({ kind }) => kind === IDENTITY_KIND) ?? events.find(({ kind }) => kind === PROFILE_KIND)
  const identity = event === undefined ? undefined : Identity.safeParse(jsonOf(event.content)).data
  if (identity === undefined) throw new AppProblem(404, 'Client app not found: its relay has no identity event for it.')
  return {
    clientId,
    publicKey,
    name: shownName(identity.name) ?? shownName(identity.display_name) ?? 'Unnamed app',
    // An empty list beside a filled one is a list that the app did not set.
    redirectUrls: [...(identity.allowed_redirect_urls ?? []), ...(identity.allowed_redirect_uris ?? [])],
  }
}

/**
 * @param app undefined while it is not looked up: then only what no app may register is refused.
 * @throws AppProblem 403 for an address that is not allowed, or that the app did not register.
 */
export function checkRedirect(app: ClientApp | undefined, redirectUri: string): void {
  const problem = redirectProblem(redirectUri)
  if (problem !== undefined) throw new AppProblem(403, `Redirect url not allowed: ${problem}.`)
  if (app !== undefined && app.redirectUrls.length > 0 && !isRegistered(redirectUri, app.redirectUrls))
    throw new AppProblem(
      403,
      `Redirect url not allowed: ${app.name} did not register it. The app must use one of its registered addresses, letter by letter.`,
    )
}

/** A name that the app chose. The approval page shows it beside the address that receives the access. */
function shownName(name: string | null | undefined): string | undefined {
  return visibleText(name?.slice(0, MAX_NAME_LENGTH))
}

function publicKeyOf(key: string): string | undefined {
  if (/^[0-9a-f]{64}$/.test(key)) return key
  try {
    const decoded = decode(key)
    return decoded.type === 'npub' ? decoded.data : undefined
  } catch {
    return undefined
  }
}

/** Unencrypted connections are allowed on this machine only. */
function isRelayUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'wss:' || (protocol === 'ws:' && isThisMachine(hostname))
}
