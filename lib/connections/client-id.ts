import { bech32 } from '@scure/base'

/**
 * The public key in the client id of an app, `<npub or hex key> <relay>` (UMA Auth, client ids): 64 hex digits, or undefined. The
 * text comes from the gateway's redirect and may be anything.
 */
export function appKeyOf(clientId: string): string | undefined {
  const [key = ''] = clientId.split(' ', 1)
  if (/^[0-9a-f]{64}$/.test(key)) return key
  // An npub of 32 bytes has 63 characters (NIP-19).
  if (!key.startsWith('npub1') || key.length !== 63) return undefined
  const bytes = bech32.decodeUnsafe(key)
  const decoded = bytes === undefined ? undefined : bech32.fromWordsUnsafe(bytes.words)
  return decoded?.length === 32 ? Buffer.from(decoded).toString('hex') : undefined
}

/**
 * The gateway's page of the connection of the app with this client id. The gateway simulator finds it by the app's key; a gateway
 * that does not know the parameter shows its start page.
 */
export function atGateway(gatewayRootUrl: URL, clientId: string | null): string {
  const appKey = clientId === null ? undefined : appKeyOf(clientId)
  if (appKey === undefined) return gatewayRootUrl.href
  const url = new URL(gatewayRootUrl)
  url.searchParams.set('connection', appKey)
  return url.href
}
