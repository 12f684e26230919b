import { execFileSync } from 'node:child_process'
import { SANDBOX_WING } from './import-table'
import { SIZE } from './measure-options'
import { parseCommandLine, readOptions } from './options'

const CODE = ['ts', 'tsx', 'js', 'mjs', 'cjs'].map((ending) => `*.${ending}`)
const GENERATED = ':!*/generated/*'
/** A blank line or a comment: Prettier puts each comment on its own lines, and starts no line of code with an asterisk. */
const NO_CODE = '^[[:space:]]*($|//|/\\*|\\*)'
const OTHER = 'other'

/** Whether a file belongs to the part. The last part that claims a file counts it. */
const PARTS: readonly (readonly [string, (path: string) => boolean])[] = [
  [OTHER, () => true],
  ['package', (path) => path.startsWith('packages/uma-auth-vasp/')],
  ['kit', (path) => path.startsWith('packages/uma-auth-conformance/')],
  ['bank', (path) => /^(?:app|components|lib|public)\/|^(?:instrumentation|proxy|server)\.[jt]s$/.test(path)],
  ['sandbox wing', (path) => SANDBOX_WING.some((part) => path === part || path.startsWith(`${part}/`))],
  ['simulators', (path) => path.startsWith('sandbox/')],
  ['tools', (path) => /^(?:bench|scripts)\/|^(?:[^/]+\.config|next-env\.d)\.[a-z]+$/.test(path)],
  ['examples', (path) => path.startsWith('examples/')],
  ['test helpers', (path) => /^(?:test|e2e|packages\/[^/]+\/test)\//.test(path)],
  ['tests', (path) => /\.(?:test|spec|bench)\.tsx?$/.test(path)],
]

const before = readOptions(SIZE, (args) => {
  const { against } = parseCommandLine(SIZE, args).values
  return against === undefined ? undefined : sizeOf(against)
})
const now = sizeOf('HEAD')
for (const [part] of PARTS) {
  const [lines, earlier] = [now.get(part) ?? 0, before?.get(part) ?? 0]
  if (part !== OTHER || lines + earlier > 0) console.log(lineOf(part, lines, earlier))
}
console.log(lineOf('all', sum(now), sum(before ?? new Map())))

function lineOf(part: string, lines: number, earlier: number): string {
  const [name, count] = [part.padEnd(14), String(lines).padStart(7)]
  if (before === undefined) return name + count
  return `${name}${String(earlier).padStart(7)} → ${count}  ${lines < earlier ? '' : '+'}${lines - earlier}`
}

function sum(size: ReadonlyMap<string, number>): number {
  return [...size.values()].reduce((all, lines) => all + lines, 0)
}

/** Lines of code by part at a commit. */
function sizeOf(commit: string): Map<string, number> {
  const size = new Map<string, number>()
  for (const line of countedFiles(commit)) {
    const [path = '', lines] = line.slice(commit.length + 1).split('\0')
    const [part = OTHER] = PARTS.findLast(([, claims]) => claims(path)) ?? []
    size.set(part, (size.get(part) ?? 0) + Number(lines))
  }
  return size
}

/** `COMMIT:path`, a NUL, and the number of lines of code, for each file that has any. */
function countedFiles(commit: string): string[] {
  const args = ['grep', '--count', '--null', '--invert-match', '-E', NO_CODE, commit, '--', ...CODE, GENERATED]
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .split('\n')
      .filter((line) => line !== '')
  } catch (error) {
    throw new Error(`${commit} cannot be read. Run this in a clone that has the commit.`, { cause: error })
  }
}
