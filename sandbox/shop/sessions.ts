import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { AppDeps } from './deps'
import type { Frame } from './page'
import type { ShopSettings } from './settings'
import type { Session } from './store'

/** Cookies ignore ports, so the name must differ from the gateway's and the VASP's. */
const COOKIE = 'shop.session'
const LIFE_SECONDS = 30 * 86_400

/** The session of the cookie, and the parts of a page around its content. */
export class Sessions {
  private readonly notices = new Map<string, string>()

  constructor(
    private readonly deps: Pick<AppDeps, 'store' | 'relay' | 'nowSeconds'>,
    private readonly settings: Pick<ShopSettings, 'APP_ROOT_URL'>,
  ) {}

  session(context: Context): Session | undefined {
    return this.deps.store.session(getCookie(context, COOKIE))
  }

  /** The session, created when there is something to store. Viewing pages needs none. */
  open(context: Context): Session {
    const session = this.session(context) ?? this.deps.store.open(this.deps.nowSeconds())
    session.seenAtSeconds = this.deps.nowSeconds()
    setCookie(context, COOKIE, session.id, {
      httpOnly: true,
      sameSite: 'Lax',
      secure: this.settings.APP_ROOT_URL.startsWith('https:'),
      path: '/',
      maxAge: LIFE_SECONDS,
    })
    return session
  }

  /** Shows a notice once, on the next page. */
  tell(session: Session, notice: string): void {
    if (this.notices.size > 200) this.notices.clear()
    this.notices.set(session.id, notice)
  }

  frame(context: Context, here?: Frame['here']): Frame {
    const session = this.session(context)
    const notice = session === undefined ? undefined : this.notices.get(session.id)
    if (session !== undefined) this.notices.delete(session.id)
    const customer = this.deps.store.connection(session, 'customer')
    return {
      relayDown: this.deps.relay.isUp ? undefined : this.deps.relay.url,
      notice,
      customer: customer === null ? undefined : (customer.address ?? 'Your wallet'),
      here,
    }
  }
}
