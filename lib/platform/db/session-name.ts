import { hostname } from 'node:os'
import type { BuildInfo } from '../build-info'

/** An instance that is connected to the database. */
export interface Instance {
  readonly version: string
  /** Twelve digits, and `-dirty` for a build with changes. */
  readonly commit: string
  readonly port: number
  /** The name of its machine or container. */
  readonly host: string
}

export const SESSION_PREFIX = 'vasp '
/** PostgreSQL cuts the name of a session here, in bytes. */
const LONGEST = 63

/** What an instance calls its sessions, so that an operator sees which builds are connected. */
export function sessionName({ version, commit }: BuildInfo, port: number): string {
  const short = commit.replace(/^([0-9a-f]{12})[0-9a-f]*/, '$1')
  const host = hostname().replaceAll(/[^\w.-]/g, '_')
  return `${SESSION_PREFIX}${version.slice(0, 20)} ${short} ${port} ${host}`.slice(0, LONGEST)
}

/** Undefined for a session of another program. */
export function readSessionName(name: string): Instance | undefined {
  const [, version, commit, port, host] = /^vasp (\S+) (\S+) (\d{1,5}) ([\w.-]+)$/.exec(name) ?? []
  if (version === undefined || commit === undefined || host === undefined) return undefined
  return { version, commit, port: Number(port), host }
}
