/** One fault that a person could write into a rule, and the tests that find it. */
export interface Mutation {
  readonly number: number
  /** What a user, an app or an operator then suffers, in one sentence. */
  readonly breaks: string
  readonly file: string
  /** How the declaration that has the text begins, after words such as `export` and `const`. The file of an SQL function has only one. */
  readonly within: string
  /** Once in the declaration. */
  readonly search: string
  readonly replace: string
  /** Files of the default run of `npm test`, at most three. At least one of their tests must fail. */
  readonly tests: readonly string[]
}

const BEFORE_NAMES = /^\s*(?:(?:export|default|async|function|const|class|create|or|replace) )*/
const CLOSING = new Set([')', ']', '}', '`'])

/**
 * The text of the file with the fault in it.
 * @throws Error that asks to renew the mutation when the code has changed.
 */
export function mutated(source: string, { number, breaks, file, within, search, replace }: Mutation): string {
  const renew = (why: string): Error =>
    new Error(`Renew mutation ${number}: what it breaks is "${breaks}" ${file}: ${why}.`)
  const declarations = declarationsOf(source, within)
  if (declarations.length === 0) throw renew(`there is no ${within}`)
  const declaration = declarations.find(({ text }) => text.includes(search))
  if (declaration === undefined) throw renew(`${within} no longer has the text ${search}`)
  const [before, after, ...more] = declaration.text.split(search)
  if (more.length > 0) throw renew(`${within} has the text ${search} more than once`)
  return [declaration.before, before, replace, after, declaration.after].join('')
}

interface Declaration {
  readonly before: string
  readonly text: string
  readonly after: string
}

/** What begins with the name: the declaration, and also calls of it. Each ends with the last line that belongs to it, as Prettier indents. */
function declarationsOf(source: string, name: string): Declaration[] {
  const lines = source.split(/(?<=\n)/)
  return lines.flatMap((line, first) => {
    const words = line.replace(BEFORE_NAMES, '')
    if (!words.startsWith(name) || /\w/.test(words.charAt(name.length))) return []
    const depth = indentOf(line)
    const length = lines.slice(first + 1).findIndex((next) => {
      const isClosing = indentOf(next) === depth && CLOSING.has(next.trimStart().charAt(0))
      return next.trim() !== '' && indentOf(next) <= depth && !isClosing
    })
    // An SQL function is not indented, and alone in its file.
    const end = length === -1 || line.startsWith('create ') ? lines.length : first + 1 + length
    const parts = [lines.slice(0, first), lines.slice(first, end), lines.slice(end)]
    const [before = '', text = '', after = ''] = parts.map((part) => part.join(''))
    return [{ before, text, after }]
  })
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
