import { RelayLink } from '../nostr/relay-link'

const MAX_LINKS = 20

/** The shop's own relay, and others that pasted pairing URIs name: one shared connection each. */
export class RelayLinks {
  private readonly links = new Map<string, RelayLink>()
  readonly own: RelayLink

  constructor(ownUrl: string, onUp: () => void) {
    this.own = new RelayLink(ownUrl, { onConnected: onUp })
    this.links.set(normal(ownUrl), this.own)
  }

  to(url: string): RelayLink {
    const key = normal(url)
    const known = this.links.get(key)
    if (known !== undefined) return known
    this.dropOne()
    const link = new RelayLink(url)
    this.links.set(key, link)
    return link
  }

  stop(): void {
    for (const link of this.links.values()) link.stop()
  }

  private dropOne(): void {
    const oldest = [...this.links].find(([, link]) => link !== this.own)
    if (this.links.size < MAX_LINKS || oldest === undefined) return
    oldest[1].stop()
    this.links.delete(oldest[0])
  }
}

function normal(url: string): string {
  return new URL(url).href.replace(/\/$/, '')
}
