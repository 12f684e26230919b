import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { NostrEvent } from 'nostr-tools/core'
import { replaceFile } from '../shared/replace-file'
import { checkEvent } from './event'

/** Published once and looked up while the author runs: profiles, wallet capabilities, app identities. */
const KEPT_KINDS: ReadonlySet<number> = new Set([0, 13_194, 13_195])
/** The relay keeps no more of these events in memory, so the file is bounded too and a restart forgets none. */
export const MAX_KEPT_EVENTS = 500
export const MAX_KEPT_CHARACTERS = 1024 * 1024

export function isKeptOnDisk({ kind }: Pick<NostrEvent, 'kind'>): boolean {
  return KEPT_KINDS.has(kind)
}

/**
 * The events that survive a restart of the relay, in one file. A public gateway publishes kind 13194 at its own start
 * only. Without that event, no new NWC client can connect.
 */
export class KeptEvents {
  private readonly file: string

  constructor(
    folder: string,
    private readonly log: (line: string) => void = console.error,
  ) {
    this.file = join(folder, 'events.json')
  }

  /** Oldest arrival first. A file that cannot be read is moved away, and the relay starts without it. */
  read(nowSeconds: number): NostrEvent[] {
    if (!existsSync(this.file)) return []
    try {
      const raw = JSON.parse(readFileSync(this.file, 'utf8')) as unknown
      if (!Array.isArray(raw)) throw new Error('it is not a list')
      return raw.flatMap((each) => {
        const checked = checkEvent(each, nowSeconds)
        return 'event' in checked && isKeptOnDisk(checked.event) ? [checked.event] : []
      })
    } catch (error) {
      const aside = `${this.file}.unreadable`
      renameSync(this.file, aside)
      this.log(`${this.file} cannot be read and is now ${aside}: ${reasonOf(error)}. Start your gateway again.`)
      return []
    }
  }

  /**
   * Replaces the file atomically before it returns: a relay that is killed leaves the old list or the new one. The store
   * bounds the list.
   */
  write(events: readonly NostrEvent[]): void {
    try {
      replaceFile(this.file, `[${events.map((event) => JSON.stringify(event)).join(',\n')}]\n`)
    } catch (error) {
      this.log(`${this.file} cannot be written: ${reasonOf(error)}. A restart of the relay forgets its events.`)
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
