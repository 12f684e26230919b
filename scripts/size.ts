import { execFileSync } from 'node:child_process'
import { startError } from '../lib/platform/start-error'
import { SIZE } from './measure-options'
import { parseCommandLine, readOptions } from './options'

const CODE = /\.(?:ts|tsx|js|mjs|cjs)$/
const GENERATED = /(?:^|\/)generated\//
const TEST = /\.(?:test|spec)\.tsx?$|^test\/cases\//
/** The areas in the order of matching: the first pattern that matches a file counts it. */
const AREAS: readonly (readonly [string, RegExp])[] = [
  ['tests', TEST],
  ['test helpers', /^(?:test|e2e)\//],
  ['product: lib', /^lib\//],
  ['product: app', /^(?:app|components)\//],
  ['product: packages', /^packages\//],
  ['product: root', /^[^/]+$/],
  ['sandbox', /^sandbox\//],
  ['scripts', /^scripts\//],
  ['examples', /^examples\//],
  ['bench', /^bench\//],
]

const against = readOptions(SIZE, (args) => parseCommandLine(SIZE, args).values.against)
const now = sizeOf('HEAD')
const before = against === undefined ? undefined : sizeOf(against)
for (const area of [...AREAS.map(([name]) => name), 'product', 'product, sandbox, scripts and examples'])
  console.log(line(area))

function line(area: string): string {
  const lines = linesOf(now, area)
  if (before === undefined) return `${area.padEnd(40)}${lines}`
  const earlier = linesOf(before, area)
  const change = earlier === 0 ? '' : `  ${(((lines - earlier) / earlier) * 100).toFixed(1)} %`
  return `${area.padEnd(40)}${String(earlier).padStart(7)} → ${String(lines).padStart(7)}${change}`
}

function linesOf(size: ReadonlyMap<string, number>, area: string): number {
  const parts =
    area === 'product'
      ? /^product: /
      : area === 'product, sandbox, scripts and examples'
        ? /^(?:product: |sandbox$|scripts$|examples$)/
        : undefined
  if (parts === undefined) return size.get(area) ?? 0
  return [...size].reduce((sum, [name, lines]) => (parts.test(name) ? sum + lines : sum), 0)
}

/** Code lines by area at a commit, without blank lines and comments. */
function sizeOf(commit: string): Map<string, number> {
  const size = new Map<string, number>()
  for (const path of git('ls-tree', '-r', '--name-only', commit).split('\n')) {
    if (!CODE.test(path) || GENERATED.test(path)) continue
    const area = AREAS.find(([, pattern]) => pattern.test(path))?.[0]
    if (area !== undefined) size.set(area, (size.get(area) ?? 0) + codeLines(git('show', `${commit}:${path}`)))
  }
  return size
}

/** Prettier puts each comment on its own lines, and starts no line of code with an asterisk. */
function codeLines(text: string): number {
  return text.split('\n').filter((each) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(each)).length
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw startError(`git ${args.join(' ')} failed: run this in a clone that has the commit.`, error)
  }
}
