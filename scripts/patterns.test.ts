import { resolve } from 'node:path'
import fc from 'fast-check'
import { checkSync } from 'recheck'
import type { Node } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { API, type Checker } from 'typescript/unstable/sync'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { PIECES, repeated, runForEach } from '@/test/texts/repetitions'

/** All code that a server, the sandbox or the conformance kit runs. */
const PRODUCTION =
  /^(?:(?:app|components|lib|sandbox|packages\/[^/]+\/src)\/(?!.*\/generated\/)|(?:instrumentation|next\.config|proxy|server)(?=\.)).*(?<!\.test)\.[jt]sx?$/

interface Pattern {
  readonly source: string
  readonly flags: string
}

interface Found {
  /** By the pattern as it is written, so that each is checked once. The value is its first place. */
  readonly patterns: ReadonlyMap<string, Pattern & { readonly place: string }>
  /** Places of patterns that only a run of the code would show. */
  readonly hidden: readonly string[]
}

/** Reads every file of the TypeScript program, so that a new pattern cannot be forgotten. */
function findPatterns(): Found {
  const api = new API({ cwd: process.cwd() })
  const configFile = resolve('tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error('tsconfig.json has no TypeScript program')
  const patterns = new Map<string, Pattern & { place: string }>()
  const hidden: string[] = []
  for (const path of project.program.getSourceFileNames()) {
    const name = path.slice(process.cwd().length + 1)
    const file = PRODUCTION.test(name) ? project.program.getSourceFile(path) : undefined
    if (file === undefined) continue
    const visit = (node: Node): void => {
      const place = (): string => `${name}:${file.text.slice(0, node.end).split('\n').length}`
      for (const pattern of patternsOf(project.checker, node)) {
        if (pattern === 'hidden') hidden.push(place())
        else if (!patterns.has(textOf(pattern))) patterns.set(textOf(pattern), { ...pattern, place: place() })
      }
      node.forEachChild(visit)
    }
    visit(file)
  }
  api.close()
  return { patterns, hidden }
}

function textOf({ source, flags }: Pattern): string {
  return `/${source}/${flags}`
}

function patternsOf(checker: Checker, node: Node): readonly (Pattern | 'hidden')[] {
  if (isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return [{ source: node.text.slice(1, end), flags: node.text.slice(end + 1) }]
  }
  if (isPropertyAssignment(node) && isIdentifier(node.name) && node.name.text === 'matcher') {
    // Next matches the whole path.
    const texts = isArrayLiteralExpression(node.initializer) ? node.initializer.elements.filter(isStringLiteral) : []
    return texts.length === 0 ? ['hidden'] : texts.map(({ text }) => ({ source: `^${text}$`, flags: '' }))
  }
  if (!isNewExpression(node) && !isCallExpression(node)) return []
  if (!isIdentifier(node.expression) || node.expression.text !== 'RegExp') return []
  const [source, flags] = (node.arguments ?? []).map((each) => {
    const type = checker.getTypeAtLocation(each)
    return type?.isStringLiteralType() === true ? type.value : undefined
  })
  const isKnown = source !== undefined && (flags !== undefined || node.arguments?.length === 1)
  return [isKnown ? { source, flags: flags ?? '' } : 'hidden']
}

/** Pieces that fit this pattern: its literal text, and texts that match it, whole and without their end. */
function piecesOf({ source, flags }: Pattern): string[] {
  const literals = source.split(/\\[bBdDsSwWpP]|[()[\]{}|*+?^$]/).map((part) => part.replaceAll('\\', ''))
  return [...new Set([...literals, ...examplesOf(source, flags)])].filter((piece) => piece !== '')
}

function examplesOf(source: string, flags: string): string[] {
  // fast-check takes seconds for a Unicode class.
  if (flags.includes('u')) return []
  try {
    const pattern = new RegExp(source, flags.replaceAll(/[^imsu]/g, ''))
    const examples = fc.sample(fc.stringMatching(pattern, { size: 'small' }), { seed: 1, numRuns: 3 })
    return examples.flatMap((text) => [text, text.slice(0, -1), text.slice(0, Math.ceil(text.length / 2))])
  } catch {
    // fast-check knows no lookaround and no word boundary. The literal text remains.
    return []
  }
}

function* textsFor(pattern: Pattern): Generator<string> {
  const own = piecesOf(pattern)
  for (const piece of [...PIECES, ...own]) yield repeated(piece)
  const beginnings = own.toSorted((a, b) => b.length - a.length).slice(0, 3)
  for (const beginning of beginnings)
    for (const piece of [beginning.slice(-1), 'a', '0', ' ', '.', '-', '"']) yield repeated(piece, beginning)
}

/**
 * A pattern that is too large for a quick proof goes to the checker's search for slow texts. Nothing depends on the time it takes.
 */
const CHECKER = {
  maxNFASize: 4_000,
  maxIteration: 3,
  randomSeed: 1,
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
}

const { patterns, hidden } = findPatterns()
const all = [...patterns.values()].map((pattern) => [textOf(pattern), pattern] as const)

describe('The regular expressions of production code', () => {
  beforeAll(() => {
    // The JavaScript build of the checker. package.json leaves out its 60 MB of binaries.
    vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure')
    return () => vi.unstubAllEnvs()
  })

  it('are known without running the code: literals, or constants', () => {
    expect(hidden).toEqual([])
  })

  it('are found in each folder', () => {
    const folders = new Set(all.map(([, { place }]) => place.split(/[/.]/, 1)[0]))
    expect(folders).toEqual(new Set(['app', 'components', 'lib', 'next', 'packages', 'proxy', 'sandbox']))
    expect(all.length).toBeGreaterThan(200)
  })

  it.each([String.raw`\S*@\S*`, String.raw`(?<!x)\S+(?=@)`, String.raw`\B(?=(\d{3})+$)`])(
    'would not pass the checker if one were %s, which takes quadratic time',
    (source) => expect(checkSync(source, 'g', CHECKER).status).toBe('vulnerable'),
  )

  it.each(all)('%s takes linear time, according to the checker', (_, { source, flags, place }) => {
    const result = checkSync(source, flags, CHECKER)
    const attack = result.status === 'vulnerable' ? result.attack.pattern : undefined
    expect({ place, status: result.status, attack }).toEqual({ place, status: 'safe', attack: undefined })
  })

  it.each(all)('%s reads 128 kB of each repetition', (_, pattern) => {
    const regexp = new RegExp(pattern.source, pattern.flags)
    runForEach(textsFor(pattern), (text) => (regexp.global ? text.replace(regexp, '') : regexp.exec(text)))
  })
})
