import { html } from 'hono/html'
import { pageOf, problemContent, type Brand, type Html } from '../shared/page'
import type { Login } from './login'

const BRAND: Brand = {
  name: 'Gateway simulator',
  strip: ['GATEWAY SIMULATOR', 'in place of a public UMA Auth gateway. No real money.'],
  footer: 'Gateway simulator.',
}

interface Frame {
  /** The signed-in user. Undefined before the sign-in. */
  readonly login: Login | undefined
  /** Further elements of the head. */
  readonly head?: Html
  /** Whether this is the list of connections. */
  readonly isHome?: boolean
}

export function page({ login, head, isHome = false }: Frame, title: string, content: Html): Html {
  return pageOf(BRAND, title, content, {
    ...(head === undefined ? {} : { head }),
    ...(login === undefined ? {} : { masthead: masthead(login, isHome) }),
  })
}

function masthead({ address }: Login, isHome: boolean): Html {
  return html`<div class="masthead">
    <nav aria-label="Gateway">
      <a href="/" ${isHome ? html`aria-current="page"` : ''}>Connections</a>
    </nav>
    <p>${address}</p>
    <form action="/logout" method="post"><button>Sign out of the gateway</button></form>
  </div>`
}

export function problemPage(login: Login | undefined, title: string, message: string): Html {
  return page({ login }, title, problemContent(title, message, html`<a class="button" href="/">Home</a>`))
}
