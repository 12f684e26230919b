import { type CallExpression, type Node, type SourceFile } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isIdentifier,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isParameterDeclaration,
  isPropertyAssignment,
  isPropertyAccessExpression,
  isSourceFile,
  isSpreadElement,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import type { Type, TypeReference } from 'typescript/unstable/sync'
import { isOfModule, NeedsCall, originsOf, type Entered, type Origin } from './flow'
import { walk, type Sources } from './program'

/** An expression of a file whose local names are given their values. */
export interface Formula {
  readonly file: string
  readonly text: string
  readonly names: readonly string[]
  readonly values: readonly (readonly Formula[])[]
  readonly path: readonly string[]
}

/** A statement as one call of `query` uses it. */
export interface Use {
  readonly place: string
  readonly statements: readonly Formula[]
  /** Undefined where the call names none. */
  readonly row: Type | undefined
  /** Undefined where the code does not say how many there are. */
  readonly params: number | undefined
}

/** Every use of a statement in the production code. @throws Error for a call whose statement or rows cannot be found. */
export function findUses(sources: Sources): Use[] {
  return sources
    .callsOf(queryOf(sources))
    .filter((call) => !isForwarded(sources, call))
    .flatMap((call) => usesOf(sources, call))
}

function queryOf({ files }: Sources): Node {
  let found: Node | undefined
  for (const file of files)
    if (file.fileName.endsWith('/lib/db/database.ts'))
      walk(file, (node) => {
        if (isMethodSignatureDeclaration(node) && isIdentifier(node.name) && node.name.text === 'query') found = node
      })
  if (found === undefined) throw new Error('Database.query is not found')
  return found
}

/** A `query` that hands its own parameters on to another. Its callers are looked at instead. */
function isForwarded({ declarationOf }: Sources, call: CallExpression): boolean {
  const [statement] = call.arguments
  const parameter = statement === undefined ? undefined : declarationOf(statement)
  if (parameter === undefined || !isParameterDeclaration(parameter)) return false
  const owner = parameter.parent
  const property = isArrowFunction(owner) ? owner.parent : owner
  return (isPropertyAssignment(property) || isMethodDeclaration(property)) && nameIs(property.name, 'query')
}

function nameIs(name: Node, text: string): boolean {
  return isIdentifier(name) && name.text === text
}

function usesOf(sources: Sources, call: CallExpression): Use[] {
  const found: Use[] = []
  const open: Entered[] = [new Map()]
  for (let entered = open.pop(); entered !== undefined; entered = open.pop()) {
    try {
      found.push(useOf(sources, call, entered))
    } catch (error) {
      if (!(error instanceof NeedsCall)) throw error
      const { declaration } = error
      const callers = sources.callsOf(declaration)
      if (callers.length === 0) throw new Error(`${placeOf(call)}: nothing found calls its function`, { cause: error })
      for (const caller of callers) open.push(new Map(entered).set(declaration, caller))
    }
  }
  return found
}

function useOf(sources: Sources, call: CallExpression, entered: Entered): Use {
  const [statement, params] = call.arguments
  const place = [call, ...entered.values()].map(placeOf).join(', called in ')
  if (statement === undefined) throw new Error(`${place}: no statement`)
  const origins = originsOf(sources, { expression: statement, path: [], entered })
  if (origins.length === 0) throw new Error(`${place}: the statement is not found`)
  return {
    place,
    statements: origins.map((origin) => formulaOf(sources, origin)),
    row: call.typeArguments === undefined ? undefined : rowOf(sources, call, entered),
    params: params === undefined ? 0 : countOf(sources, { expression: params, path: [], entered }),
  }
}

function rowOf(sources: Sources, call: CallExpression, entered: Entered): Type {
  const argument = call.typeArguments?.[0]
  const type = argument === undefined ? undefined : sources.checker.getTypeFromTypeNode(argument)
  if (type === undefined || type.isErrorType()) throw new Error(`${placeOf(call)}: no type of rows`)
  return type.isTypeParameter() ? rowOfCaller(sources, type, entered) : type
}

/** For a function that is generic in its rows and returns a promise of them: what its caller makes of them. */
function rowOfCaller(sources: Sources, parameter: Type, entered: Entered): Type {
  const { checker } = sources
  const owner = parameter.getSymbol()?.declarations[0]?.resolve()?.parent
  if (owner === undefined) throw new Error(`nothing declares ${checker.typeToString(parameter)}`)
  const declaration = isVariableDeclaration(owner.parent) ? owner.parent : owner
  const caller = entered.get(declaration)
  if (caller === undefined) throw new NeedsCall(declaration)
  const signature = checker.getResolvedSignature(caller)
  const promise = signature && checker.getReturnTypeOfSignature(signature)
  const rows = promise && checker.getTypeArguments(promise as TypeReference)[0]
  const row = rows && checker.isArrayType(rows) ? checker.getTypeArguments(rows as TypeReference)[0] : undefined
  if (row === undefined) throw new Error(`${placeOf(caller)}: its result does not show the type of rows`)
  return row.isTypeParameter() ? rowOfCaller(sources, row, entered) : row
}

/** The length of the array, where the code shows it. */
function countOf(sources: Sources, start: Origin): number | undefined {
  const counts = originsOf(sources, start).map(({ expression, path, entered }) => {
    if (path.length > 0 || !isArrayLiteralExpression(expression)) return undefined
    return expression.elements
      .map((each) => (isSpreadElement(each) ? countOf(sources, { expression: each.expression, path: [], entered }) : 1))
      .reduce((sum: number | undefined, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0)
  })
  return counts.every((count) => count === counts[0]) ? counts[0] : undefined
}

function formulaOf(sources: Sources, { expression, path, entered }: Origin): Formula {
  const locals = new Map<string, Node>()
  walk(expression, (node) => {
    if (!isIdentifier(node) || isNameOfProperty(node)) return
    const declaration = sources.declarationOf(node)
    if (declaration === undefined || isOfModule(declaration) || isInside(declaration, expression)) return
    locals.set(node.text, node)
  })
  return {
    file: fileOf(expression).fileName,
    text: fileOf(expression).text.slice(expression.pos, expression.end),
    names: [...locals.keys()],
    values: [...locals.values()].map((name) =>
      originsOf(sources, { expression: name, path: [], entered }).map((origin) => formulaOf(sources, origin)),
    ),
    path,
  }
}

function isNameOfProperty(node: Node): boolean {
  const { parent } = node
  return (
    (isPropertyAccessExpression(parent) && parent.name === node) ||
    (isPropertyAssignment(parent) && parent.name === node)
  )
}

function isInside(node: Node, outer: Node): boolean {
  return fileOf(node) === fileOf(outer) && node.pos >= outer.pos && node.end <= outer.end
}

function fileOf(node: Node): SourceFile {
  let at = node
  while (!isSourceFile(at)) at = at.parent
  return at
}

export function placeOf(node: Node): string {
  const file = fileOf(node)
  const line = file.text.slice(0, node.end).split('\n').length
  return `${file.fileName.slice(process.cwd().length + 1)}:${line}`
}
