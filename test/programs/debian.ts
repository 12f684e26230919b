import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs of other projects that tests run, each with its Debian package. */
const PACKAGES = {
  caddy: 'caddy',
  curl: 'curl',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  python3: 'python3',
  'systemd-analyze': 'systemd',
} as const
export type DebianProgram = keyof typeof PACKAGES

/** Debian keeps daemons in `/usr/sbin`, which is not in every PATH. */
export function findProgram(name: DebianProgram): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
}

/** One line that names the missing packages; undefined when all are there. */
export function missingPackages(names: readonly DebianProgram[]): string | undefined {
  const missing = names.filter((name) => findProgram(name) === undefined)
  if (missing.length === 0) return undefined
  const packages = missing.map((name) => PACKAGES[name]).join(' ')
  return `skipped: no ${missing.join(' and no ')} (apt-get install --no-install-recommends ${packages})`
}

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * For a program that refuses to run as root: a user without rights. Undefined where this process is not root, `none` where the
 * system has no such user.
 */
export function unprivilegedUser(): SystemUser | undefined | 'none' {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // This system does not have this user; the next one may exist.
    }
  }
  return 'none'
}
