import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'

// An operator looks up a line of the log in docs/operate.md. All calls of a log in the code of a server are compared with
// the tables there.

/** The code that runs in a server. */
const FOLDERS = ['app', 'components', 'lib', 'packages/uma-auth-vasp/src']
const FILES = ['instrumentation.ts', 'proxy.ts']
/** They pass lines on: from the protocol package, from the rate limit of lines, and from Next. */
const FORWARDING = ['lib/backend/protocol.ts', 'lib/platform/bounded-log.ts', 'lib/platform/console-to-log.ts']
const LEVELS = ['debug', 'info', 'warn', 'error']
const LOGS = ['log', 'boundedLog']

interface Node {
  readonly type: string
  readonly [name: string]: unknown
}

interface Line {
  readonly file: string
  readonly level: string
  /** Undefined when the message is not written in the call. */
  readonly message: string | undefined
}

function linesIn(file: string, source: string): Line[] {
  const lines: Line[] = []
  const { program, errors } = parseSync(file, source)
  expect(errors, file).toEqual([])
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'CallExpression') lines.push(...linesOf(file, node))
    Object.values(node).forEach(visit)
  }
  visit(program)
  return lines
}

function linesOf(file: string, call: Node): Line[] {
  const callee = call.callee as Node
  if (callee.type !== 'MemberExpression' || !LOGS.includes(nameOf(callee.object as Node))) return []
  const level = nameOf(callee)
  if (!LEVELS.includes(level) && callee.computed !== true) return []
  const args = call.arguments as readonly Node[]
  return messagesOf(args.at(-1)).map((message) => ({ file, level, message }))
}

/** `log` of `log.info`, of `ports.log` and of `app?.log`. */
function nameOf(node: Node): string {
  if (node.type === 'Identifier') return String(node.name)
  return node.type === 'MemberExpression' ? nameOf(node.property as Node) : ''
}

function messagesOf(argument: Node | undefined): (string | undefined)[] {
  if (argument?.type === 'Literal' && typeof argument.value === 'string') return [argument.value]
  if (argument?.type === 'ConditionalExpression')
    return [...messagesOf(argument.consequent as Node), ...messagesOf(argument.alternate as Node)]
  return [undefined]
}

const files = [
  ...FILES,
  ...FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))),
].filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.includes('/generated/'))
const lines = files.flatMap((file) => linesIn(file, readFileSync(file, 'utf8')))

/** The messages of each table whose first column is `msg`, in the order of the page. */
function tablesOf(page: string): string[][] {
  return page
    .split(/^\| `msg` .*\n/m)
    .slice(1)
    .map((table) => table.split(/\n(?!\|)/)[0] ?? '')
    .map((table) =>
      [...table.matchAll(/^\| (.*?) +\| /gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
      ),
    )
}

it('each call of a log has its message as a text in the call, so that it can be searched for', () => {
  const others = lines.filter(({ file, message }) => message === undefined && !FORWARDING.includes(file))
  expect(others).toEqual([])
})

it('finds a call in each form in which the code writes one', () => {
  const source = `
    log.info('a'); ports.log.warn({ x }, 'b'); app?.log.error(e, flag ? 'c' : 'd'); boundedLog.info({}, 'e')
    const f = () => keep(db, (error) => log['debug']({ error }, 'f')); console.error('no'); log.info({}, text)`
  expect(linesIn('x.ts', source).map(({ message }) => message)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', undefined])
})

it('the tables of docs/operate.md have every line of the log, and no other', () => {
  const [urgent = [], repeated = [], usual = [], ...more] = tablesOf(readFileSync('docs/operate.md', 'utf8'))
  expect(more).toEqual([])
  const at = (...levels: string[]): string[] => {
    const found = lines.filter(({ level, message }) => levels.includes(level) && message !== undefined)
    return [...new Set(found.map(({ message = '' }) => message))].toSorted()
  }
  expect([...urgent, ...repeated, ...usual].toSorted()).toEqual(at(...LEVELS))
  // Warnings and errors need someone to look.
  expect(usual.toSorted()).toEqual(at('debug', 'info').filter((message) => !repeated.includes(message)))
})
