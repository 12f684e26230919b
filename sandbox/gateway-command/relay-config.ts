/**
 * The kinds that a gateway and its apps exchange: the profile and the identity of an app (0, 13195), the commands of a
 * gateway (13194), and its requests, answers and notifications (23194 to 23197).
 */
const RELAY_KINDS = [0, 13_194, 13_195, 23_194, 23_195, 23_196, 23_197]
/** A page of `list_transactions`, encrypted and signed, has at most 56,000 bytes. */
const EVENT_BYTES = 65_536
/** Where deploy/gateway.caddy expects the relay. */
export const RELAY_PORT = 7777

/** The `config.toml` of nostr-rs-relay. Every value is written in a form that is JSON as well. */
export function relayConfig({ relay, vaspName }: { readonly relay: string; readonly vaspName: string }): string {
  const text = (value: string): string => JSON.stringify(value.replaceAll(/\p{Cc}/gu, ' '))
  return [
    `# Settings of nostr-rs-relay, the relay of a gateway, written by npm run gateway:config. Another run replaces this file.`,
    '[info]',
    `relay_url = ${text(relay)}`,
    `name = ${text(`${vaspName} relay`)}`,
    'description = "The relay of a sandbox gateway. It accepts the events of Nostr Wallet Connect and the records of apps only."',
    '',
    '[database]',
    'engine = "sqlite"',
    'in_memory = false',
    'data_directory = "/var/lib/vasp-relay"',
    'min_conn = 1',
    'max_conn = 4',
    '',
    '[network]',
    '# The proxy only.',
    'address = "127.0.0.1"',
    `port = ${RELAY_PORT}`,
    'remote_ip_header = "x-forwarded-for"',
    'ping_interval_seconds = 60',
    '',
    '[options]',
    'reject_future_seconds = 900',
    '',
    '[limits]',
    `event_kind_allowlist = [${RELAY_KINDS.join(', ')}]`,
    `max_event_bytes = ${EVENT_BYTES}`,
    `max_ws_message_bytes = ${EVENT_BYTES}`,
    `max_ws_frame_bytes = ${EVENT_BYTES}`,
    '# Of the whole relay: it bounds what strangers can store.',
    'messages_per_sec = 100',
    '# With a short queue, the connections take turns when the limit is reached.',
    'event_persist_buffer = 16',
    'broadcast_buffer = 4096',
    '# Of one connection. A gateway has one subscription, and an app one for each call in progress.',
    'subscriptions_per_min = 300',
    'max_blocking_threads = 8',
    '# A subscription names at least two of kinds, authors and tags, so that no stranger receives everything.',
    'limit_scrapers = true',
    '',
    '[verified_users]',
    'mode = "disabled"',
    '',
    '[pay_to_relay]',
    'enabled = false',
    'sign_ups = false',
    '',
  ].join('\n')
}
