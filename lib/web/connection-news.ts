import { timeAgo } from './time'

export interface NewConnection {
  readonly id: string
  readonly name: string
  readonly appHost: string | null
  readonly createdAt: string
}

/** Maximum length of the list of new connections; there may be more. */
const MOST = 20

/** A notice of the new connections, which are listed newest first. The app and the time distinguish them. */
export function connectionNews(connections: readonly NewConnection[], nowMs: number): string {
  const [newest] = connections
  if (newest === undefined) return ''
  const app =
    newest.appHost === null || newest.appHost === newest.name
      ? newest.name
      : `${newest.name}, requested by ${newest.appHost}`
  const when = timeAgo(new Date(newest.createdAt), new Date(nowMs))
  if (connections.length === 1) return `${app}, ${when}. Was this you?`
  const count = connections.length >= MOST ? `${MOST} connections or more` : `${connections.length} connections`
  return `${count}, the latest ${when}: ${app}. Were these you?`
}
