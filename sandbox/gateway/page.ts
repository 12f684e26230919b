import { html } from 'hono/html'
import { pageOf, problemContent, type Brand, type Html } from '../shared/page'

const BRAND: Brand = {
  name: 'Gateway simulator',
  strip: ['GATEWAY SIMULATOR', 'in place of a public UMA Auth gateway. No real money.'],
  footer: 'Gateway simulator.',
}

/** `head`: further elements of the head. */
export function page(title: string, content: Html, head?: Html): Html {
  return pageOf(BRAND, title, content, head === undefined ? {} : { head })
}

export function problemPage(title: string, message: string): Html {
  return page(title, problemContent(title, message, html`<a class="button" href="/">Home</a>`))
}
