import { resolve } from 'node:path'
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
import { API, type Checker, type Type, type TypeReference } from 'typescript/unstable/sync'

const PRODUCTION = /^(lib|app|sandbox|scripts)\/(?!.*\/generated\/).*(?<!\.test)\.tsx?$/
const OWN_FOLDER = 'lib/platform/db/'
/** The functions whose calls are read, each in a file of its own. */
const MAKERS = ['statement', 'prismaCall']
const OWN_FILES = [`${OWN_FOLDER}statement.ts`, `${OWN_FOLDER}prisma-call.ts`]

/** A call to `statement` or `prismaCall` in the production code. */
export interface StatementCall {
  readonly file: string
  readonly place: string
  /** The name, or undefined when it is not a literal. */
  readonly name: { readonly pattern: RegExp; readonly fixedLength: number } | undefined
  /** Undefined for a call of Prisma too, whose rows its generated types describe. */
  readonly row: Type | undefined
}

/** Reads the TypeScript program that tsconfig.json defines. */
export function readCalls(): {
  readonly checker: Checker
  readonly calls: readonly StatementCall[]
  /** The places where a statement is written as an object literal. */
  readonly objects: readonly string[]
  /** The places that use Prisma's client themselves. */
  readonly clients: readonly string[]
  close(): void
} {
  const api = new API({ cwd: process.cwd() })
  const configFile = resolve('tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error('tsconfig.json has no TypeScript program')
  const { checker, program } = project
  const calls: StatementCall[] = []
  const objects: string[] = []
  const clients: string[] = []
  for (const path of program.getSourceFileNames()) {
    const name = path.slice(process.cwd().length + 1)
    const file = PRODUCTION.test(name) && !OWN_FILES.includes(name) ? program.getSourceFile(path) : undefined
    if (file === undefined) continue
    const placeOf = (node: Node): string => `${name}:${file.text.slice(0, node.end).split('\n').length}`
    walk(file, (node) => {
      if (isCallExpression(node) && isIdentifier(node.expression) && MAKERS.includes(node.expression.text))
        calls.push({
          file: path,
          place: placeOf(node.expression),
          name: nameOf(node),
          row: rowOf(checker, checker.getTypeAtLocation(node)),
        })
      if (isObject(checker, node)) objects.push(placeOf(node))
      if (isIdentifier(node) && node.text === 'prisma' && !name.startsWith(OWN_FOLDER)) clients.push(placeOf(node))
    })
  }
  return { checker, calls, objects, clients, close: () => api.close() }
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
