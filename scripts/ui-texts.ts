import { parseAst } from 'vitest/node'

/** One text that a user can read, such as a label or an error, and its position. */
export interface UiText {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly text: string
}

/** Attributes that a page shows or a screen reader reads out. */
const SHOWN = new Set(['label', 'title', 'placeholder', 'aria-label', 'alt', 'term', 'text', 'caption', 'content'])
const SHOWN_IN_HTML = /\s(?:aria-label|placeholder|title|alt|content)="([^"]*)"/g
/** A sentence, or a word with a capital letter. */
const PROSE = /\p{L}[^\s]*\s+\S*\p{L}|^\p{Lu}\p{Ll}+[.…?!]?$/u
const SENTENCE = /^[\p{Lu}{].* .*[.?]$/u
/** CSS classes, header names, SQL and paths. */
const NOT_PROSE = /^[a-z0-9\s:;/[\]_.#%()*&!=,-]*[a-z]-[a-z[\d][^.?!]*$|^(?:SELECT|INSERT|UPDATE|WITH|DELETE)\b|^[./@]/

interface Node {
  readonly type: string
  readonly start: number
  readonly [property: string]: unknown
}

/** Interpolations are shown as `{…}`. */
const GAP = '{…}'

/**
 * Texts that a user can read, in the order of the file.
 * @param sentencesOnly lists whole sentences and the texts of errors only
 */
export function uiTexts(file: string, source: string, { sentencesOnly = false } = {}): UiText[] {
  const found: UiText[] = []
  const add = (at: number, text: string): void => {
    const plain = text.replaceAll(/\s+/g, ' ').trim()
    if (/\p{L}/u.test(plain.replaceAll(GAP, '')))
      found.push({ file, line: source.slice(0, at).split('\n').length, text: plain })
  }
  const addProse = (at: number, text: string): void => {
    if (PROSE.test(text.replaceAll(GAP, 'x')) && !NOT_PROSE.test(text)) add(at, text)
  }
  const isListed = (listed: boolean, text: string): boolean => listed || SENTENCE.test(text)

  /** Elements inside a sentence that is listed already. */
  const covered = new Set<Node>()
  const sentence = (element: Node): string => {
    covered.add(element)
    return childrenOf(element)
      .map((child) => {
        if (child.type === 'JSXText') return String(child.value)
        if (child.type === 'JSXElement') return sentence(child) || GAP
        const { value } = (child.expression ?? {}) as { value?: unknown }
        return typeof value === 'string' ? value : GAP
      })
      .join('')
  }

  const visit = (node: Node, listed: boolean): void => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSLiteralType':
        return
      case 'JSXElement':
      case 'JSXFragment':
        if (!covered.has(node) && childrenOf(node).some(isText)) add(node.start, sentence(node))
        break
      case 'JSXAttribute':
        return visitAttribute(node, listed)
      case 'Literal':
        if (typeof node.value === 'string' && isListed(listed, node.value)) addProse(node.start, node.value)
        return
      case 'TemplateLiteral':
        if (isListed(listed, joined(node))) addProse(node.start, joined(node))
        break
      case 'TaggedTemplateExpression':
        if (nameOf(node.tag) === 'html') addHtml(node, add)
        return visitExpressions(node.quasi, listed)
      case 'NewExpression':
        return visitChildren(node, listed || /(?:Error|Problem)$/.test(nameOf(node.callee)))
    }
    visitChildren(node, listed)
  }
  const visitAttribute = (node: Node, listed: boolean): void => {
    const name = String((node.name as Node).name)
    const value = node.value as Node | null
    if (value?.type === 'Literal' && SHOWN.has(name)) add(value.start, String(value.value))
    else if (value !== null && value.type !== 'Literal' && name !== 'className') visit(value, listed)
  }
  const visitExpressions = (template: unknown, listed: boolean): void => {
    for (const each of (template as { expressions: Node[] }).expressions) visit(each, listed)
  }
  const visitChildren = (node: Node, listed: boolean): void => {
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, listed)
  }

  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, !sentencesOnly)
  return found.toSorted((a, b) => a.line - b.line)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function childrenOf(element: Node): Node[] {
  return element.children as Node[]
}

function isText(node: Node): boolean {
  return node.type === 'JSXText' && /\p{L}/u.test(String(node.value))
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : ''
}

function joined(template: Node): string {
  return (template.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(GAP)
}

/** The texts between the tags of one `html` template, then its shown attributes. */
function addHtml(node: Node, add: (at: number, text: string) => void): void {
  const template = joined(node.quasi as Node)
  const bare = template.replaceAll(/<(?:script|style)[^]*?<\/(?:script|style)>/g, '')
  for (const block of bare.replaceAll(/<\/?(?:a|strong|em|b|code|span|time|br)\b[^>]*>/g, ' ').split(/<[^>]*>/))
    add(node.start, block)
  for (const [, value = ''] of bare.matchAll(SHOWN_IN_HTML)) add(node.start, value)
}
