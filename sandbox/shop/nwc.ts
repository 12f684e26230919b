import type { NostrEvent } from 'nostr-tools/core'
import { RelayDown, RelayLost, RelayRefused, type RelayLink } from '../nostr/relay-link'
import type { Scheme } from '../nostr/sealed'
import type { OpenEntry } from './call-log'
import { encryptionOf, INFO_KIND, openReply, REPLY_KIND, sealRequest, type Ends } from './envelope'
import { explainTransport, explainWalletError, noWallet } from './nwc-problem'
import { ShopError, type Problem } from './problem'
import { cut } from './redact'
import type { RelayLinks } from './relay-links'
import type { Grant } from './store'

export type Outcome = { readonly result: Record<string, unknown> } | { readonly problem: Problem }

export interface Target extends Ends {
  readonly relay: string
  readonly otherRelays?: readonly string[]
  /** What the gateway granted. Its list of commands is empty when the gateway did not send one. */
  readonly grant?: Pick<Grant, 'commands'> | null
}

/** One attempt at one relay. */
interface Attempt {
  readonly outcome: Outcome
  readonly wasSent: boolean
}

/**
 * Sends one command to a wallet over NWC and returns its result or a problem. Never throws, and records every step in
 * the list of calls. A wallet with several relays is tried at the next one only while nothing was sent, because a request that
 * was sent may have been carried out.
 */
export class NwcClient {
  /** The encryption that each wallet announced. It is read again after a minute, because a wallet may have been upgraded. */
  private readonly known = new Map<string, { encryption: Scheme; untilMs: number }>()

  constructor(
    private readonly links: RelayLinks,
    private readonly timeoutMs: number,
  ) {}

  async call(
    target: Target,
    request: { method: string; params: object },
    open: (text: string) => OpenEntry,
    timeoutMs = this.timeoutMs,
  ): Promise<Outcome> {
    const relays = [target.relay, ...(target.otherRelays ?? [])]
    // The relays that are connected come first, so that a dead one is not waited for at each call.
    const inOrder = relays.length === 1 ? relays : relays.toSorted((a, b) => this.isUp(b) - this.isUp(a))
    let attempt: Attempt | undefined
    for (const relay of inOrder) {
      attempt = await this.tryAt({ ...target, relay }, request, open, timeoutMs)
      if (attempt.wasSent) break
    }
    if (attempt === undefined) throw new Error('a wallet has at least one relay')
    return attempt.outcome
  }

  private isUp(relay: string): number {
    return this.links.to(relay).isUp ? 1 : 0
  }

  private async tryAt(
    target: Target,
    request: { method: string; params: object },
    open: (text: string) => OpenEntry,
    timeoutMs: number,
  ): Promise<Attempt> {
    const link = this.links.to(target.relay)
    let entry: OpenEntry | undefined
    let answer: NostrEvent | undefined
    try {
      const encryption = await this.encryption(link, target)
      const nowSeconds = Math.floor(Date.now() / 1000)
      const lifeSeconds = Math.ceil(timeoutMs / 1000)
      const event = sealRequest(target, encryption, request, { nowSeconds, lifeSeconds })
      const signed = `Signed and encrypted with the connection’s secret, ${cut(target.secret)}`
      entry = open(`${JSON.stringify(request, null, 2)}\n\n${signed}\n\n${envelope(event, encryption)}`)
      const replies = { kinds: [REPLY_KIND], authors: [target.wallet], '#e': [event.id] }
      answer = await link.request(event, replies, timeoutMs)
      const reply = openReply(target, answer)
      const raw = `${JSON.stringify(reply, null, 2)}\n\n${envelope(answer, encryption)}`
      if (reply.error != null) {
        const { method } = request
        const problem = explainWalletError(reply.error.code, reply.error.message ?? '', {
          method,
          allowed: target.grant?.commands.length ? target.grant.commands : undefined,
        })
        entry.failed(raw, problem)
        return { outcome: { problem }, wasSent: true }
      }
      entry.done(raw, reply.result ?? {})
      return { outcome: { result: reply.result ?? {} }, wasSent: true }
    } catch (error) {
      const wasSent = entry !== undefined && !(error instanceof RelayDown || error instanceof RelayRefused)
      // A connection that breaks before anything was sent is a relay that cannot be reached.
      const cause = error instanceof RelayLost && !wasSent ? new RelayDown(error.message) : error
      const problem = cause instanceof ShopError ? cause.problem : explainTransport(cause, target.relay)
      entry ??= open(JSON.stringify(request, null, 2))
      entry.failed(answer === undefined ? null : envelope(answer), problem)
      return { outcome: { problem }, wasSent }
    }
  }

  private async encryption(link: RelayLink, target: Target): Promise<Scheme> {
    const name = `${target.relay} ${target.wallet}`
    const known = this.known.get(name)
    if (known !== undefined && known.untilMs > Date.now() && link.isUp) return known.encryption
    const info = await link.lookUp({ kinds: [INFO_KIND], authors: [target.wallet], limit: 1 })
    if (info === undefined) throw new ShopError(noWallet(target.relay))
    const encryption = encryptionOf(info)
    this.known.set(name, { encryption, untilMs: Date.now() + 60_000 })
    return encryption
  }
}

/** The encrypted event as the relay sees it, with its length in place of the ciphertext. */
function envelope(event: NostrEvent, encryption?: Scheme): string {
  const { sig: _, content, ...rest } = event
  const how = encryption === undefined ? 'sealed' : encryption === 'nip04' ? 'encrypted, NIP-04' : 'encrypted, NIP-44'
  return `On the relay: ${JSON.stringify({ ...rest, content: `(${content.length} characters, ${how})` }, null, 2)}`
}
