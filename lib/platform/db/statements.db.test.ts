import { join, resolve } from 'node:path'
import { PGlite, type DescribeQueryResult } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { describeInOneSession } from '@/test/databases'
import { migratedDataDir } from '@/test/migrated'
import { ENTRIES } from '@/test/statements/entries'
import { fill } from '@/test/statements/full-database'
import { measure } from '@/test/statements/measure'
import type { Statement } from './statement'
import { TypeFlags, type Checker, type Type, type TypeReference, API } from 'typescript/unstable/sync'
import type { CallExpression, Node, SourceFile } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is'

const PRODUCTION = /^(lib|app|sandbox|scripts)\/(?!.*\/generated\/).*(?<!\.test)\.tsx?$/
const OWN_FILE = 'lib/platform/db/statement.ts'

/** A call to `statement` in the production code. */
interface StatementCall {
  readonly file: string
  readonly place: string
  /** The name, or undefined when it is not a literal. */
  readonly name: { readonly pattern: RegExp; readonly fixedLength: number } | undefined
  readonly row: Type | undefined
}

/** Reads the TypeScript program that tsconfig.json defines. */
function readCalls(): {
  readonly checker: Checker
  readonly calls: readonly StatementCall[]
  /** The places where a statement is written as an object literal. */
  readonly objects: readonly string[]
  close(): void
} {
  const api = new API({ cwd: process.cwd() })
  const configFile = resolve('tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error('tsconfig.json has no TypeScript program')
  const { checker, program } = project
  const calls: StatementCall[] = []
  const objects: string[] = []
  for (const path of program.getSourceFileNames()) {
    const name = path.slice(process.cwd().length + 1)
    const file = PRODUCTION.test(name) && name !== OWN_FILE ? program.getSourceFile(path) : undefined
    if (file === undefined) continue
    const placeOf = (node: Node): string => `${name}:${file.text.slice(0, node.end).split('\n').length}`
    walk(file, (node) => {
      if (isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === 'statement')
        calls.push({
          file: path,
          place: placeOf(node.expression),
          name: nameOf(node),
          row: rowOf(checker, checker.getTypeAtLocation(node)),
        })
      if (isObject(checker, node)) objects.push(placeOf(node))
    })
  }
  return { checker, calls, objects, close: () => api.close() }
}

function nameOf({ arguments: [name] }: CallExpression): StatementCall['name'] {
  if (name === undefined) return undefined
  const texts =
    isStringLiteral(name) || isNoSubstitutionTemplateLiteral(name)
      ? [name.text]
      : isTemplateExpression(name)
        ? [name.head.text, ...name.templateSpans.map(({ literal }) => literal.text)]
        : undefined
  return texts && { pattern: new RegExp(`^${texts.join('.+')}$`), fixedLength: texts.join('').length }
}

/** The row type of a statement type. */
function rowOf(checker: Checker, type: Type | undefined): Type | undefined {
  return type?.getSymbol()?.name === 'Statement' ? checker.getTypeArguments(type as TypeReference)[0] : undefined
}

/** Whether a node is an object literal of a statement type, or a query whose argument is not typed as a statement. */
function isObject(checker: Checker, node: Node): boolean {
  if (isObjectLiteralExpression(node))
    return node.properties.some(isText) && rowOf(checker, checker.getContextualType(node)) !== undefined
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false
  const [statement] = node.arguments
  if (statement === undefined || node.expression.name.text !== 'query') return false
  const declaration = checker.getSymbolAtLocation(node.expression.name)?.valueDeclaration
  if (declaration?.path.endsWith('/lib/platform/db/database.ts') !== true) return false
  const type = checker.getTypeAtLocation(statement)
  const members = type?.isUnionType() === true ? (type.getTypes() ?? []) : [type]
  return members.some((member) => rowOf(checker, member) === undefined)
}

function isText(property: Node): boolean {
  if (!isPropertyAssignment(property) && !isShorthandPropertyAssignment(property)) return false
  return isIdentifier(property.name) && property.name.text === 'text'
}

function walk(node: Node | SourceFile, visit: (node: Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

type Kind = 'bigint' | 'number' | 'string' | 'boolean' | 'date' | 'json' | 'bytes'

const FIRST_OID_OF_USERS = 16_384
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [16, 'boolean'],
  [17, 'bytes'],
  [19, 'string'],
  [20, 'bigint'],
  [21, 'number'],
  [23, 'number'],
  [25, 'string'],
  [26, 'number'],
  [114, 'json'],
  [700, 'number'],
  [701, 'number'],
  [1042, 'string'],
  [1043, 'string'],
  [1082, 'date'],
  [1114, 'date'],
  [1184, 'date'],
  // numeric: both drivers return its digits as text.
  [1700, 'string'],
  [2950, 'string'],
  [3802, 'json'],
])
const ELEMENTS: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1015, 1043],
  [1016, 20],
  [1022, 701],
  [1185, 1184],
  [2951, 2950],
])

const FLAGS: Readonly<Partial<Record<Kind, TypeFlags>>> = {
  bigint: TypeFlags.BigIntLike,
  number: TypeFlags.NumberLike,
  string: TypeFlags.StringLike,
  boolean: TypeFlags.BooleanLike,
}

/**
 * Lists where the columns of a statement differ from its row type. Nullability is not compared, because the server does not
 * report it.
 */
function differences(checker: Checker, row: Type, { resultFields }: DescribeQueryResult): string[] {
  const properties = propertiesOf(checker, row)
  const missing = [...properties.keys()].filter((name) => !resultFields.some((field) => field.name === name))
  const wrong = resultFields.flatMap(({ name, dataTypeID }) => {
    const types = properties.get(name)
    if (types === undefined) return [`the column ${name} is not in the row type`]
    return types
      .filter((type) => !fits(checker, type, dataTypeID))
      .map(
        (type) =>
          `${name} is ${checker.typeToString(type)} in the row type, and its column has the type OID ${dataTypeID}`,
      )
  })
  return [...missing.map((name) => `the statement returns no column ${name}`), ...wrong]
}

/** The properties of a row type, each with its types in all members of the union. */
function propertiesOf(checker: Checker, row: Type): Map<string, Type[]> {
  const found = new Map<string, Type[]>()
  for (const member of membersOf(row))
    for (const property of checker.getPropertiesOfType(member)) {
      const type = checker.getTypeOfSymbol(property)
      if (type !== undefined) found.set(property.name, [...(found.get(property.name) ?? []), type])
    }
  return found
}

function fits(checker: Checker, type: Type, oid: number): boolean {
  const members = membersOf(type).filter((member) => !(member.flags & (TypeFlags.Null | TypeFlags.Undefined)))
  const element = ELEMENTS.get(oid)
  if (element === undefined) {
    const kind = KINDS.get(oid) ?? (oid >= FIRST_OID_OF_USERS ? 'string' : undefined)
    return kind !== undefined && members.every((member) => isOf(kind, member))
  }
  return members.every((member) => {
    if (!checker.isArrayLikeType(member)) return false
    return checker.getTypeArguments(member as TypeReference).every((each) => fits(checker, each, element))
  })
}

function isOf(kind: Kind, type: Type): boolean {
  const flags = FLAGS[kind]
  if (flags !== undefined) return (type.flags & flags) !== 0
  const name = type.getSymbol()?.name
  if (kind === 'date') return name === 'Date'
  if (kind === 'bytes') return name === 'Uint8Array' || name === 'Buffer'
  return (type.flags & (TypeFlags.Object | TypeFlags.Intersection | TypeFlags.Unknown)) !== 0 && name !== 'Date'
}

function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? (type.getTypes() ?? []) : [type]
}

const made = vi.hoisted((): Statement[] => [])
vi.mock('./statement', () => ({
  statement(name: string, text: string): Statement {
    made.push({ name, text })
    return { name, text }
  },
}))

let source: ReturnType<typeof readCalls>
let db: PGlite

beforeAll(async () => {
  source = readCalls()
  for (const file of new Set(source.calls.map((call) => call.file))) await import(file)
  db = await PGlite.create(join(await migratedDataDir(), 'database'))
})
afterAll(async () => {
  source?.close()
  await db?.close()
})

/** The calls that may have created the statement `name`. The pattern with the longest fixed part wins. */
function callsOf(name: string): StatementCall[] {
  const fitting = source.calls.filter((call) => call.name?.pattern.test(name) === true)
  const longest = Math.max(...fitting.map((call) => call.name?.fixedLength ?? 0))
  return fitting.filter((call) => call.name?.fixedLength === longest)
}

it('every statement is created by one call of `statement` when its module loads', () => {
  expect(made.length).toBeGreaterThan(100)
  const used = new Set(made.flatMap(({ name }) => callsOf(name)))
  const problems = [
    ...source.objects.map((place) => `${place}: write statement<Row>(name, text) instead of an object`),
    ...source.calls.flatMap((call) => {
      if (call.name === undefined) return `${call.place}: the name is neither a string nor a template`
      return used.has(call)
        ? []
        : `${call.place}: no statement ${call.name.pattern.source} is created when the module loads`
    }),
    ...made.flatMap(({ name }) => {
      const places = callsOf(name).map(({ place }) => place)
      return places.length === 1 ? [] : `${name}: created by ${places.length} calls: ${places.join(', ')}`
    }),
  ]
  expect([...new Set(problems)]).toEqual([])
})

// A PostgreSQL connection keeps a prepared statement under its name and refuses another text with that name. The embedded
// database does not, so only a server would show the error.
it('no two statements have the same name', () => {
  const problems = made.flatMap(({ name, text }) => {
    const other = made.find((each) => each.name === name && each.text !== text)
    return other === undefined ? [] : `${name} (${placesOf(name)}) has two texts`
  })
  expect([...new Set(problems)]).toEqual([])
})

it('every statement returns the columns of its row type', async () => {
  const problems: string[] = []
  for (const { name, text } of made)
    for (const problem of await problemsOf(name, text)) problems.push(`${name} (${placesOf(name)}): ${problem}`)
  expect(problems).toEqual([])
})

async function problemsOf(name: string, text: string): Promise<string[]> {
  try {
    const described = await db.describeQuery(text)
    return callsOf(name).flatMap(({ row }) =>
      row === undefined ? ['its row type was not found'] : differences(source.checker, row, described),
    )
  } catch (error) {
    return [(error as Error).message]
  }
}

function placesOf(name: string): string {
  return callsOf(name)
    .map(({ place }) => place)
    .join(', ')
}

describeInOneSession('On a database whose growing tables are full', (session) => {
  beforeAll(() => fill(session()))

  it('every statement has an entry with its parameters, and every entry has its statement', () => {
    const names = new Set(made.map(({ name }) => name))
    const problems = [
      ...[...names]
        .filter((name) => ENTRIES[name] === undefined)
        .map((name) => `${name} (${placesOf(name)}) has no entry`),
      ...Object.keys(ENTRIES).flatMap((name) => (names.has(name) ? [] : `${name} has an entry and no statement`)),
    ]
    expect(problems).toEqual([])
  })

  // Nothing analyzes an embedded database by itself, and a server does it minutes after a table was filled.
  it.each(['before', 'after'])(
    'no statement reads more rows than its entry allows, %s the tables are analyzed',
    async (when) => {
      if (when === 'after') await session().query('analyze')
      const problems: string[] = []
      for (const { name, text } of made) {
        const entry = ENTRIES[name]
        if (entry === undefined) continue
        try {
          const { returned, read, loops } = await measure(session(), { name, text }, entry.params ?? [])
          if (returned !== entry.returns) problems.push(`${name} returns ${returned} rows, not ${entry.returns}`)
          if (read > entry.reads) problems.push(`${name} reads ${read} rows, and may read ${entry.reads}`)
          if (loops > entry.reads)
            problems.push(`${name} runs a sub-plan ${loops} times, and may run it ${entry.reads} times`)
        } catch (error) {
          problems.push(`${name}: ${(error as Error).message}`)
        }
      }
      expect(problems).toEqual([])
    },
  )
})
