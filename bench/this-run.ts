import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

/** The run that produced a figure. */
export interface ThisRun {
  readonly machine: string
  readonly versions: string
  readonly commit: string
  readonly command: string
  /** The day, UTC. */
  readonly at: string
}

/** Describes the run of this process, which was started by `npm run <script>`. */
export function describeThisRun(script: string): ThisRun {
  const changed = git('status', '--porcelain') === '' ? '' : ' with changes'
  return {
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    versions: `Node ${process.versions.node}, Next ${versionOf('next')}, pg ${versionOf('pg')}, PGlite ${versionOf('@electric-sql/pglite')}`,
    commit: `${git('rev-parse', '--short', 'HEAD')}${changed}`,
    command: [`npm run ${script} --`, ...process.argv.slice(2)].join(' ').replace(/ --$/, ''),
    at: new Date().toISOString().slice(0, 10),
  }
}

export function versionOf(name: string): string {
  return (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}
