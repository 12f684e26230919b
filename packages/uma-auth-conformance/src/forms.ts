/** A form of an HTML page: its address and the values that a browser would send without input. */
export interface Form {
  readonly action: string
  readonly method: 'GET' | 'POST'
  /** Values of inputs by name, hidden ones included; buttons excluded. */
  readonly values: Readonly<Record<string, string>>
  /** Names of the fields that a user can fill in, and of the buttons. */
  readonly visible: readonly string[]
}

/**
 * Reads the forms of a page with regular expressions, without a DOM: enough for pages that work without scripts. An unclosed tag
 * or form ends with the page, as in browsers, so each pattern reads a page once.
 */
export function readForms(html: string, pageUrl: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>?([^]*?)(?:<\/form>|$)/gi)].map(([, tag = '', content = '']) => {
    const attributes = attributesOf(tag)
    const values: Record<string, string> = {}
    const visible: string[] = []
    for (const [, element = '', field = ''] of content.matchAll(/<(input|select|textarea|button)\b([^>]*)/gi)) {
      const { name, value = '', type = 'text', ...flags } = attributesOf(field)
      const kind = type.toLowerCase()
      if (name === undefined || ['reset', 'file'].includes(kind)) continue
      // A button is sent only when the recipe names it.
      if (element.toLowerCase() === 'button' || ['submit', 'button', 'image'].includes(kind)) {
        visible.push(name)
        continue
      }
      if ((kind === 'checkbox' || kind === 'radio') && !('checked' in flags)) continue
      values[name] = value
      if (kind !== 'hidden') visible.push(name)
    }
    return {
      action: new URL(attributes.action || pageUrl, pageUrl).href,
      method: attributes.method?.toLowerCase() === 'post' ? 'POST' : 'GET',
      values,
      visible,
    }
  })
}

function attributesOf(tag: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g,
  ))
    attributes[name.toLowerCase()] ??= unescape(double ?? single ?? bare ?? '')
  return attributes
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescape(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi,
    (whole, decimal, hex, name: string | undefined) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
      const point = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole
    },
  )
}
