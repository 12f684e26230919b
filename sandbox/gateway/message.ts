import { finalizeEvent, type Event } from 'nostr-tools/pure'
import { open, schemeOf, seal, type Scheme } from '../nostr/sealed'
import { failure, type Outcome } from './outcome'

/** NIP-47's kinds: the wallet's capabilities, a request, its response. */
export const INFO_KIND = 13_194
export const REQUEST_KIND = 23_194
const RESPONSE_KIND = 23_195

export interface NwcRequest {
  /** Id of the event. */
  readonly id: string
  /** Public key of the app's secret, which identifies the connection. */
  readonly from: string
  readonly command: string
  readonly params: unknown
}

/** A parsed request, or the answer to one that cannot be read. */
export type Read = { readonly request: NwcRequest } | { readonly answer: Outcome; readonly command?: string }

/** Undefined for a request whose `expiration` has passed: the app no longer waits, and gets no answer. */
export function readMessage(event: Event, secret: Uint8Array, nowSeconds: number): Read | undefined {
  const expiration = Number(tagOf(event, 'expiration') ?? Number.POSITIVE_INFINITY)
  if (expiration <= nowSeconds) return undefined
  const scheme = schemeOf(event.content)
  const tag = tagOf(event, 'encryption')
  const announced = tag ?? 'nip04'
  if (announced !== 'nip04' && announced !== 'nip44_v2')
    return {
      answer: failure(
        'UNSUPPORTED_ENCRYPTION',
        `This gateway does not support the encryption ${announced.slice(0, 40)}. Use nip44_v2 or nip04.`,
      ),
    }
  let text: string
  try {
    text = open(scheme, secret, event.pubkey, event.content)
  } catch {
    return { answer: failure('OTHER', 'This message was not encrypted for this wallet.') }
  }
  const message = parse(text)
  if (message === undefined || typeof message.method !== 'string' || message.method === '')
    return {
      answer: failure('OTHER', 'This message is not a request: a JSON object with method and params is expected.'),
    }
  const command = message.method
  if (announced !== scheme) {
    const said = tag === undefined ? 'it has no encryption tag, which means nip04' : `its encryption tag is ${tag}`
    return { command, answer: failure('OTHER', `The request is encrypted with ${scheme}, but ${said}.`) }
  }
  return { request: { id: event.id, from: event.pubkey, command, params: message.params } }
}

/**
 * The signed answer, encrypted as the request was. `p` names the app, as in NIP-47; the public gateway names itself.
 */
export function writeAnswer(
  event: Event,
  secret: Uint8Array,
  answer: Outcome,
  command: string | undefined,
  nowSeconds: number,
): Event {
  const content = command === undefined ? answer : { result_type: command, ...answer }
  return finalizeEvent(
    {
      kind: RESPONSE_KIND,
      created_at: nowSeconds,
      tags: [
        ['p', event.pubkey],
        ['e', event.id],
      ],
      content: seal(schemeOf(event.content), secret, event.pubkey, JSON.stringify(content)),
    },
    secret,
  )
}

/** Announces the wallet's commands and encryptions: all twelve commands, as the public gateway does. */
export function infoEvent(secret: Uint8Array, commands: readonly string[], nowSeconds: number): Event {
  const schemes: readonly Scheme[] = ['nip44_v2', 'nip04']
  return finalizeEvent(
    { kind: INFO_KIND, created_at: nowSeconds, tags: [['encryption', schemes.join(' ')]], content: commands.join(' ') },
    secret,
  )
}

/** Undefined for an empty value too: it is a spelling of "not set". */
function tagOf(event: Event, name: string): string | undefined {
  return event.tags.find(([key]) => key === name)?.[1] || undefined
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
