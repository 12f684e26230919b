import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked, Renderer } from 'marked'

/** The documents of `/developers/start`. */
const GUIDES = ['docs/connect-an-app.md', 'docs/test-your-app.md']
/** Other documents whose subject has a page on the server. */
const PAGES = new Map([
  ['docs/errors.md', '/developers/errors'],
  ['docs/gateway.md', '/developers/gateway'],
])

/**
 * A loader of Turbopack: a Markdown file becomes a module while the server is built, so a running server needs neither the file nor
 * the library.
 * @this {{ resourcePath: string, addDependency: (path: string) => void }}
 * @param {string} text
 */
export default function markdownLoader(text) {
  // Otherwise the cache of an earlier build answers after this file has changed.
  this.addDependency(fileURLToPath(import.meta.url))
  return moduleOf(text, this.resourcePath)
}

/**
 * @param {string} text
 * @param {string} path absolute
 */
export function moduleOf(text, path) {
  return `export default ${JSON.stringify(renderGuide(text, relative(process.cwd(), path)))}`
}

/** @typedef {{ id: string, title: string }} Heading `title` is plain text. */

/**
 * HTML for a page that has a heading of its own: the document's title is left out, and its other headings are a level lower. Their
 * ids begin with the document's name, because one page shows several documents.
 * @param {string} text
 * @param {string} file its path in the repository, such as `docs/test-your-app.md`
 * @returns {Heading & { html: string, sections: Heading[] }}
 */
export function renderGuide(text, file) {
  const renderer = new GuideRenderer(file)
  const html = new Marked().parse(text, { renderer, async: false })
  return { ...renderer.guide, html }
}

class GuideRenderer extends Renderer {
  /** @param {string} file */
  constructor(file) {
    super()
    this.file = file
    /** @type {Heading & { sections: Heading[] }} */
    this.guide = { id: nameOf(file), title: '', sections: [] }
  }

  /** @override @param {import('marked').Tokens.Heading} token */
  heading({ depth, tokens, text }) {
    const title = text.replaceAll('`', '')
    if (depth === 1) {
      this.guide.title = title
      return ''
    }
    const id = `${this.guide.id}-${anchorOf(text)}`
    if (depth === 2) this.guide.sections.push({ id, title })
    return `<h${depth + 1} id="${id}">${this.parser.parseInline(tokens)}</h${depth + 1}>\n`
  }

  // What is wider than a phone scrolls inside itself. With a tab index, it also scrolls by keyboard.

  /** @override @param {import('marked').Tokens.Code} token */
  code(token) {
    return super.code(token).replace('<pre>', '<pre tabindex="0">')
  }

  /** @override @param {import('marked').Tokens.Table} token */
  table(token) {
    return `<div tabindex="0">${super.table(token)}</div>\n`
  }

  /** @override @param {import('marked').Tokens.Link} token */
  link(token) {
    const href = targetOf(token.href, this.file)
    return href === undefined ? this.parser.parseInline(token.tokens) : super.link({ ...token, href })
  }
}

/** @param {string} file */
const nameOf = (file) => basename(file, '.md')

/**
 * As code hosts derive it from a heading.
 * @param {string} heading
 */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/**
 * Undefined for a file of the repository without a page on the server: a hosted server has readers without the repository.
 * @param {string} href
 * @param {string} from the file with the link
 */
function targetOf(href, from) {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const file = path === '' ? from : join(dirname(from), path)
  if (!GUIDES.includes(file)) return PAGES.get(file)
  return `#${nameOf(file)}${anchor === undefined ? '' : `-${anchor}`}`
}
