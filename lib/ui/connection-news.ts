import { timeAgo } from './time'

export interface NewConnection {
  readonly id: string
  readonly name: string
  readonly appHost: string | null
  readonly createdAt: string
}

/** As many as are ever listed; there may be more. */
const MOST = 20

/** The new connections in one sentence, the newest first in the list: who asked and when tells them apart. */
export function connectionNews(connections: readonly NewConnection[], nowMs: number): string {
  const [newest] = connections
  if (newest === undefined) return ''
  const app =
    newest.appHost === null || newest.appHost === newest.name
      ? newest.name
      : `${newest.name}, asked for by ${newest.appHost}`
  const when = timeAgo(new Date(newest.createdAt), new Date(nowMs))
  if (connections.length === 1) return `${app}, ${when}. Was it you?`
  const count = connections.length >= MOST ? `${MOST} connections or more` : `${connections.length} connections`
  return `${count}, the latest ${when}: ${app}. Were they all you?`
}
