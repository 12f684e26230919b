import type { NostrEvent } from 'nostr-tools/core'
import { checkEvent, idOf, isEphemeral } from './event'
import { EventStore } from './event-store'
import { matches, parseFilter, type Filter } from './filter'

/** An event with NIP-44's longest plaintext takes about 88 kB. */
export const LIMITS = { messageBytes: 128 * 1024, subscriptions: 20, filters: 10, subscriptionIdLength: 64 } as const

/** One connected client: how to send it text, and its subscriptions. */
export class Client {
  readonly subscriptions = new Map<string, readonly Filter[]>()

  constructor(private readonly sendText: (text: string) => void) {}

  send(...message: readonly unknown[]): void {
    this.sendText(JSON.stringify(message))
  }
}

/** The relay without its sockets: receives the text of a message and answers through the client. Never throws. */
export class Hub {
  private readonly clients = new Set<Client>()

  constructor(
    private readonly nowSeconds: () => number,
    readonly store = new EventStore(),
  ) {}

  join(client: Client): void {
    this.clients.add(client)
  }

  leave(client: Client): void {
    this.clients.delete(client)
  }

  receive(client: Client, text: string): void {
    const message = parseMessage(text)
    if (message === undefined) return client.send('NOTICE', 'invalid: a message is a JSON array')
    if (Buffer.byteLength(text) > LIMITS.messageBytes) return refuseLarge(client, message)
    switch (message[0]) {
      case 'EVENT':
        return this.publish(client, message[1])
      case 'REQ':
        return this.subscribe(client, message[1], message.slice(2))
      case 'CLOSE':
        if (typeof message[1] !== 'string') return client.send('NOTICE', 'invalid: CLOSE names a subscription')
        return void client.subscriptions.delete(message[1])
      default:
        return refuseMessage(client, message, 'unsupported: this relay knows EVENT, REQ and CLOSE')
    }
  }

  private publish(client: Client, raw: unknown): void {
    const checked = checkEvent(raw, this.nowSeconds())
    if (!('event' in checked)) return client.send('OK', checked.id, false, checked.reason)
    const { event } = checked
    const added = isEphemeral(event.kind) ? 'new' : this.store.add(event, this.nowSeconds())
    if (added === 'new') this.passOn(event)
    const remark =
      added === 'new' ? '' : added === 'duplicate' ? 'duplicate: already stored' : 'duplicate: a newer event is stored'
    return client.send('OK', event.id, true, remark)
  }

  private passOn(event: NostrEvent): void {
    for (const client of this.clients)
      for (const [id, filters] of client.subscriptions)
        if (filters.some((filter) => matches(filter, event))) client.send('EVENT', id, event)
  }

  private subscribe(client: Client, id: unknown, rawFilters: readonly unknown[]): void {
    const refuse = (reason: string): void => refuseId(client, id, reason)
    if (typeof id !== 'string' || id === '' || id.length > LIMITS.subscriptionIdLength)
      return refuse('invalid: a subscription id has 1 to 64 characters')
    if (rawFilters.length === 0 || rawFilters.length > LIMITS.filters)
      return refuse(`invalid: 1 to ${LIMITS.filters} filters`)
    const filters = rawFilters.map(parseFilter)
    if (!filters.every((filter) => filter !== undefined)) return refuse('invalid: a filter does not follow NIP-01')
    if (!client.subscriptions.has(id) && client.subscriptions.size >= LIMITS.subscriptions)
      return refuse(`rate-limited: at most ${LIMITS.subscriptions} subscriptions`)
    client.subscriptions.set(id, filters)
    for (const event of this.kept(filters)) client.send('EVENT', id, event)
    return client.send('EOSE', id)
  }

  /** An event that matches two filters is sent once. */
  private kept(filters: readonly Filter[]): Iterable<NostrEvent> {
    const found = filters.flatMap((filter) => this.store.query(filter, this.nowSeconds()))
    return new Map(found.map((event) => [event.id, event])).values()
  }
}

/** The sender learns which message was rejected, and the connection stays open. */
function refuseLarge(client: Client, message: readonly unknown[]): void {
  return refuseMessage(client, message, `invalid: a message has at most ${LIMITS.messageBytes / 1024} kB`)
}

/**
 * Names the event, the subscription or the query of a refused message in the answer that its sender waits for (NIP-01,
 * 42, 45 and 77).
 */
function refuseMessage(client: Client, [type, raw]: readonly unknown[], reason: string): void {
  switch (type) {
    case 'EVENT':
    case 'AUTH':
      return client.send('OK', idOf(raw), false, reason)
    case 'REQ':
    case 'COUNT':
      return refuseId(client, raw, reason)
    case 'NEG-OPEN':
    case 'NEG-MSG':
      return refuseId(client, raw, reason, 'NEG-ERR')
    default:
      return client.send('NOTICE', reason)
  }
}

/** Names the id, unless it is not a text. CLOSED also ends an earlier subscription with this id (NIP-01). */
function refuseId(client: Client, id: unknown, reason: string, answer: 'CLOSED' | 'NEG-ERR' = 'CLOSED'): void {
  if (typeof id !== 'string') return client.send('NOTICE', reason)
  if (answer === 'CLOSED') client.subscriptions.delete(id)
  return client.send(answer, id, reason)
}

function parseMessage(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
