import { z } from 'zod'
import { jsonOf } from '../shared/json'
import { readText } from '../shared/read-text'
import type { Recorder } from './call-log'
import { reasonOf, ShopError, type Problem } from './problem'
import { headersText } from './redact'
import type { AuthServer } from './store'
import { isLocalHost, readUrl, type UmaAddress } from './uma-address'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024
const HEADERS = new Headers({ Accept: 'application/json' })

const Document = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().nullish(),
  code_challenge_methods_supported: z.array(z.string()).nullish(),
})

/**
 * Checks a discovery document. Endpoints must be https. They may be http on this machine if the address is also on this machine, or
 * belongs to `ownDomain`, the VASP that the shop runs in front of.
 * @throws ShopError that names the field.
 */
export function readDiscovery(address: Pick<UmaAddress, 'origin'>, document: unknown, ownDomain?: string): AuthServer {
  const parsed = Document.safeParse(document)
  if (!parsed.success)
    throw new ShopError(
      incomplete(`${String(parsed.error.issues[0]?.path[0] ?? 'the document')} is missing or not a string`),
    )
  const found = parsed.data
  const methods = found.code_challenge_methods_supported ?? ['S256']
  if (!methods.includes('S256'))
    throw new ShopError(incomplete('code_challenge_methods_supported does not contain S256'))
  const { host, hostname } = new URL(address.origin)
  const local = isLocalHost(hostname) || host === ownDomain
  for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const) {
    const value = found[name]
    if (value != null && !isUsable(value, local)) throw new ShopError(incomplete(`${name} is not a valid address`))
  }
  return {
    issuer: address.origin,
    authorization_endpoint: found.authorization_endpoint,
    token_endpoint: found.token_endpoint,
    ...(found.revocation_endpoint == null ? {} : { revocation_endpoint: found.revocation_endpoint }),
    code_challenge_methods_supported: methods,
  }
}

function isUsable(text: string, local: boolean): boolean {
  const url = readUrl(text)
  if (url === undefined || url.username !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && local && isLocalHost(url.hostname))
}

/** Fetches the discovery document of the address's domain. @throws ShopError */
export async function discover(address: UmaAddress, record: Recorder, ownDomain: string): Promise<AuthServer> {
  const url = discoveryUrl(address.origin)
  const request = `GET ${url}\n${headersText(HEADERS)}`
  const entry = record(`Ask ${new URL(url).host} how to connect ${address.text}`, 'http', request)
  try {
    const { document, headers } = await fetchWithHeaders(address.origin)
    const server = readDiscovery(address, document, ownDomain)
    entry.done(`200\n${headersText(headers)}\n${JSON.stringify(document, null, 2)}`)
    return server
  } catch (error) {
    if (error instanceof ShopError) entry.failed(null, error.problem)
    throw error
  }
}

export function discoveryUrl(origin: string): string {
  return `${origin}/.well-known/uma-configuration`
}

/** The discovery document of a VASP, unchecked. @throws ShopError */
export async function fetchDiscovery(origin: string): Promise<unknown> {
  return (await fetchWithHeaders(origin)).document
}

async function fetchWithHeaders(origin: string): Promise<{ readonly document: unknown; readonly headers: Headers }> {
  const url = discoveryUrl(origin)
  try {
    const response = await fetch(url, { headers: HEADERS, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await readText(response, MAX_BYTES)
    if (response.status !== 200) throw new ShopError(refused(response.status, url))
    const document = jsonOf(text)
    if (document === undefined) throw new ShopError(incomplete('it is not JSON'))
    return { document, headers: response.headers }
  } catch (error) {
    throw error instanceof ShopError ? error : new ShopError(silent(url, error))
  }
}

const incomplete = (what: string): Problem => ({
  code: 'DISCOVERY_INCOMPLETE',
  message: `The discovery document cannot be used: ${what}.`,
  meaning: 'The domain answers, but its document does not name a valid gateway.',
  side: 'wallet',
  todo: 'The operator must fix /.well-known/uma-configuration. Until then, paste a pairing URI.',
})

const refused = (status: number, url: string): Problem => ({
  code: `HTTP ${status}`,
  message: `${url} answered ${status}.`,
  meaning: 'This domain does not offer UMA Auth right now.',
  side: 'wallet',
  todo: 'Check the address. If it is right, contact the operator of the domain.',
})

const silent = (url: string, error: unknown): Problem => ({
  code: 'VASP_DOWN',
  message: `${new URL(url).host} did not answer: ${reasonOf(error)}.`,
  meaning: 'The server of this address cannot be reached.',
  side: 'wallet',
  todo: 'Check the address, or try again when the server is running.',
})
