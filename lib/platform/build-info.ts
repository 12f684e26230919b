import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from './parse-json'
import { singleton } from './process-singletons'

/** Which build this process runs. A part that the build could not find out is `unknown`. */
export interface BuildInfo {
  /** Of package.json. */
  readonly version: string
  /** Of git, 40 digits; `-dirty` follows when files of the checkout were changed. */
  readonly commit: string
}

export const UNKNOWN = 'unknown'
/** Written by the build. The log, the metrics, `/-/ready` and the pages read it. */
export const BUILD_INFO_FILE = join('.next', 'build-info.json')

const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,40}$/
const COMMIT = /^[0-9a-f]{7,64}(-dirty)?$/

/** The build of this process, read once: a later build in the same folder does not change what runs. */
export function buildInfo(): BuildInfo {
  return singleton('build-info', () => {
    const path = join(process.cwd(), BUILD_INFO_FILE)
    const there = existsSync(/* turbopackIgnore: true */ path)
    return checkedBuildInfo(there ? parseJson(readFileSync(/* turbopackIgnore: true */ path, 'utf8')) : undefined)
  })
}

/** Anything but a version and a commit becomes `unknown`: both are shown on pages, in labels and in the log. */
export function checkedBuildInfo(found: unknown): BuildInfo {
  const { version, commit } = (found ?? {}) as { readonly version?: unknown; readonly commit?: unknown }
  return { version: matching(VERSION, version), commit: matching(COMMIT, commit) }
}

function matching(form: RegExp, value: unknown): string {
  return typeof value === 'string' && form.test(value) ? value : UNKNOWN
}
