import { resolve } from 'node:path'
import { API, SymbolFlags, type Checker, type Project, type Symbol } from 'typescript/unstable/sync'
import { isCallExpression, isPropertyAccessExpression } from 'typescript/unstable/ast/is'
import { SyntaxKind, type CallExpression, type Identifier, type Node, type SourceFile } from 'typescript/unstable/ast'

const SOURCES = /^(lib|app|sandbox|scripts)\//
const NOT_SOURCES = /\.test\.tsx?$|\/generated\//

export interface Sources {
  readonly checker: Checker
  readonly files: readonly SourceFile[]
  /** The declaration of what an identifier names, imports followed. */
  readonly declarationOf: (name: Node) => Node | undefined
  /** Every call of a function, by its declaration. */
  readonly callsOf: (declaration: Node) => readonly CallExpression[]
  close(): void
}

/** The program of tsconfig.json, with the production code among its files. */
export function openSources(): Sources {
  const api = new API({ cwd: process.cwd() })
  const configFile = resolve('tsconfig.json')
  const snapshot = api.updateSnapshot({ openProjects: [configFile] })
  const project = snapshot.getProject(configFile)
  if (project === undefined) throw new Error('no program for tsconfig.json')
  const { checker, program } = project
  const files = program
    .getSourceFileNames()
    .filter((name) => isSource(name))
    .map((name) => program.getSourceFile(name))
    .filter((file) => file !== undefined)
  const names = identifiersOf(files)
  const declarations = declarationsOf(project, names)
  const calls = new Map<Node, CallExpression[]>()
  for (const name of names) {
    const call = callOf(name)
    const declaration = declarations.get(name)
    if (declaration === undefined || call === undefined) continue
    calls.set(declaration, [...(calls.get(declaration) ?? []), call])
  }
  return {
    checker,
    files,
    declarationOf: (name) => declarations.get(name),
    callsOf: (declaration) => calls.get(declaration) ?? [],
    close: () => api.close(),
  }
}

/** The call of `name(…)` or of `object.name(…)`. */
function callOf(name: Identifier): CallExpression | undefined {
  const callee = isPropertyAccessExpression(name.parent) && name.parent.name === name ? name.parent : name
  const call = callee.parent
  return isCallExpression(call) && call.expression === callee ? call : undefined
}

function isSource(file: string): boolean {
  const path = file.slice(process.cwd().length + 1)
  return file.startsWith(process.cwd()) && SOURCES.test(path) && !NOT_SOURCES.test(path)
}

function identifiersOf(files: readonly SourceFile[]): Identifier[] {
  const found: Identifier[] = []
  for (const file of files)
    walk(file, (node) => {
      if (node.kind === SyntaxKind.Identifier) found.push(node as Identifier)
    })
  return found
}

function declarationsOf({ checker }: Project, names: readonly Identifier[]): Map<Node, Node> {
  const found = new Map<Node, Node>()
  const ofSymbol = new Map<number, Node | undefined>()
  const resolved = checker.getSymbolAtLocation(names)
  for (const [index, name] of names.entries()) {
    let symbol: Symbol | undefined = resolved[index]
    if (isShorthand(name)) symbol = checker.getShorthandAssignmentValueSymbol(name.parent)
    if (symbol === undefined) continue
    if (!ofSymbol.has(symbol.id)) ofSymbol.set(symbol.id, declarationOfSymbol(checker, symbol))
    const declaration = ofSymbol.get(symbol.id)
    if (declaration !== undefined) found.set(name, declaration)
  }
  return found
}

function isShorthand(name: Identifier): boolean {
  return name.parent.kind === SyntaxKind.ShorthandPropertyAssignment
}

function declarationOfSymbol(checker: Checker, symbol: Symbol): Node | undefined {
  const target = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
  const handle = target.valueDeclaration ?? target.declarations[0]
  if (handle === undefined || handle.path.includes('/node_modules/')) return undefined
  return handle.resolve()
}

/** Calls `visit` for a node and everything below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}
