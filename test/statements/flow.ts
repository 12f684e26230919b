import { SyntaxKind, type CallExpression, type Node } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNonNullExpression,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { walk, type Sources } from './program'

/** The call through which each function on the way was entered. */
export type Entered = ReadonlyMap<Node, CallExpression>

/** An expression that gives a value, and what is read of that value: `*` is each of its properties. */
export interface Origin {
  readonly expression: Node
  readonly path: readonly string[]
  readonly entered: Entered
}

/** A value comes from a parameter of this function, and the call that passes it is still open. */
export class NeedsCall extends Error {
  constructor(readonly declaration: Node) {
    super('the callers of a function decide')
  }
}

/** Where the value of an expression comes from, through local names, parameters, properties and calls. @throws NeedsCall */
export function originsOf({ declarationOf }: Sources, start: Origin): Origin[] {
  return follow(start)

  function follow(origin: Origin): Origin[] {
    const { expression, path, entered } = origin
    const at = (next: Node, nextPath = path): Origin[] => follow({ expression: next, path: nextPath, entered })
    if (
      isParenthesizedExpression(expression) ||
      isAsExpression(expression) ||
      isSatisfiesExpression(expression) ||
      isNonNullExpression(expression)
    )
      return at(expression.expression)
    if (isConditionalExpression(expression)) return [...at(expression.whenTrue), ...at(expression.whenFalse)]
    if (isBinaryExpression(expression) && expression.operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
      const left = at(expression.left)
      return left.length > 0 ? left : at(expression.right)
    }
    if (isPropertyAccessExpression(expression)) return at(expression.expression, [expression.name.text, ...path])
    if (isElementAccessExpression(expression)) {
      const key = expression.argumentExpression
      return at(expression.expression, [isStringLiteral(key) ? key.text : '*', ...path])
    }
    if (isObjectLiteralExpression(expression) && path.length > 0) {
      const property = expression.properties.find((each) => nameOf(each) === path[0])
      if (property !== undefined && isPropertyAssignment(property)) return at(property.initializer, path.slice(1))
      if (property !== undefined && isShorthandPropertyAssignment(property)) return at(property.name, path.slice(1))
    }
    if (isCallExpression(expression)) return followCall(expression, origin)
    if (isIdentifier(expression)) return followName(expression, origin)
    return [origin]
  }

  function followCall(call: CallExpression, origin: Origin): Origin[] {
    const declaration = declarationOf(call.expression)
    const made = declaration === undefined ? undefined : functionOf(declaration)
    const body = made === undefined ? undefined : resultsOf(made)
    if (declaration === undefined || body === undefined || body.length === 0) return [origin]
    const entered = new Map(origin.entered).set(declaration, call)
    return body.flatMap((expression) => follow({ expression, path: origin.path, entered }))
  }

  function followName(name: Node, origin: Origin): Origin[] {
    const { path, entered } = origin
    if (isIdentifier(name) && name.text === 'undefined') return []
    let declaration = declarationOf(name)
    let inside = path
    while (declaration !== undefined && isBindingElement(declaration)) {
      inside = [nameOf(declaration), ...inside]
      declaration = declaration.parent.parent
    }
    if (declaration !== undefined && isParameterDeclaration(declaration)) {
      const owner = ownerOf(declaration.parent)
      const call = entered.get(owner)
      if (call === undefined) throw new NeedsCall(owner)
      const argument = call.arguments[parametersOf(declaration.parent).indexOf(declaration)]
      const expression = argument ?? declaration.initializer
      return expression === undefined ? [] : follow({ expression, path: inside, entered })
    }
    if (declaration === undefined || isOfModule(declaration)) return [origin]
    if (isVariableDeclaration(declaration) && declaration.initializer !== undefined)
      return follow({ expression: declaration.initializer, path: inside, entered })
    return [origin]
  }
}

function parametersOf(made: Node): readonly Node[] {
  return (made as { parameters?: readonly Node[] }).parameters ?? []
}

/** What a function is known by: its own declaration, or the constant that holds it. */
function ownerOf(made: Node): Node {
  return isVariableDeclaration(made.parent) ? made.parent : made
}

function functionOf(declaration: Node): Node | undefined {
  const made = isVariableDeclaration(declaration) ? declaration.initializer : declaration
  if (made === undefined) return undefined
  return isFunctionDeclaration(made) || isArrowFunction(made) || isFunctionExpression(made) ? made : undefined
}

/** The expressions that a function returns. */
function resultsOf(made: Node): Node[] {
  const { body } = made as { body?: Node }
  if (body === undefined) return []
  if (!isBlock(body)) return [body]
  const found: Node[] = []
  walk(body, (node) => {
    if (isReturnStatement(node) && node.expression !== undefined && enclosing(node) === made)
      found.push(node.expression)
  })
  return found
}

/** The function that a node is in. */
function enclosing(node: Node): Node | undefined {
  let at: Node | undefined = node.parent
  while (at !== undefined && !isFunctionDeclaration(at) && !isArrowFunction(at) && !isMethodDeclaration(at)) {
    if (isFunctionExpression(at)) return at
    at = at.parent
  }
  return at
}

/** Declared outside of all functions: by name within its whole file. */
export function isOfModule(declaration: Node): boolean {
  let at: Node | undefined = declaration
  while (at !== undefined && !isSourceFile(at)) {
    if ('parameters' in at && at !== declaration && (at as { body?: Node }).body !== undefined) return false
    at = at.parent
  }
  return !isParameterDeclaration(declaration)
}

/** The name of the property that is written, or read by a pattern. */
function nameOf(node: Node): string {
  const { name, propertyName } = node as { name?: Node; propertyName?: Node }
  const { text } = (propertyName ?? name ?? {}) as { text?: string }
  return text ?? ''
}
