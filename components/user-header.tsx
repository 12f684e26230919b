import { cookies, headers } from 'next/headers'
import { csrfToken } from '@/lib/accounts/sign-in/csrf'
import { application } from '@/lib/backend/application'
import { cookieName } from '@/lib/platform/http/cookies'
import type { Frame } from '@/lib/web/frame'
import { gatewayAddress } from '@/lib/web/gateway-address'
import { BankLink } from './bank-link'
import { keysOf } from './keys'
import { Menu } from './menu'
import { Sections } from './sections'
import { ThemeSwitch, type Theme } from './theme-switch'
import { Identicon } from './ui/identicon'
import { Link } from './ui/link'

interface Props {
  readonly frame: Frame
  /** Null when nothing listens there. */
  readonly gateway: string | null
  readonly theme: Theme
  /** Whether this browser has not turned the keys off. */
  readonly keys: boolean
  /** For the forms that sign in as another test user. */
  readonly csrf: string
}

/** The header of a signed-in user's page. */
export async function userHeader(frame: Frame) {
  const { settings } = application()
  const [gateway, csrf, theme, keys] = await Promise.all([
    gatewayAddress(settings),
    csrfToken(settings),
    chosenTheme(),
    hasKeys(),
  ])
  return <UserHeader frame={frame} gateway={gateway} theme={theme} keys={keys} csrf={csrf} />
}

/** Whether this browser has keys: it has unless the user turned them off in the settings (WCAG 2.1.4). */
export async function hasKeys(): Promise<boolean> {
  return (await cookies()).get(cookieName(application().settings, 'keys'))?.value !== 'off'
}

/** What the browser has chosen, and the page of this request. */
export async function chosenTheme(): Promise<Theme> {
  const theme = (await cookies()).get(cookieName(application().settings, 'theme'))?.value
  const chosen = theme === 'light' || theme === 'dark' ? theme : 'system'
  return { chosen, back: (await headers()).get('x-path') ?? '/' }
}

/** The VASP, the sections, and a menu on the user's rosette. */
export function UserHeader({ frame, gateway, theme, keys, csrf }: Props) {
  const { settings } = application()
  const { sandboxTools, sampleAppUrl } = settings
  const sites = [
    ...(gateway === null ? [] : [{ href: gateway, name: 'Gateway' }]),
    ...(sampleAppUrl === undefined ? [] : [{ href: sampleAppUrl, name: 'Sample shop' }]),
  ]
  const known = keys ? keysOf(sandboxTools) : []
  return (
    <header className="page flex flex-wrap items-center gap-x-4 gap-y-1.5 pt-3 pb-1.5">
      <BankLink />
      <Sections
        requests={frame.requests}
        developers={sandboxTools}
        sites={sites}
        keys={Object.fromEntries(known.map(([pressed, href]) => [href, pressed]))}
      />
      <UserMenu frame={frame} theme={theme} keys={known} csrf={csrf} />
      {keys ? <script src="/keys.js" async /> : null}
    </header>
  )
}

interface MenuProps extends Pick<Props, 'frame' | 'theme' | 'csrf'> {
  readonly keys: ReturnType<typeof keysOf>
}

function UserMenu({ frame, theme, keys, csrf }: MenuProps) {
  const { user, testUsers } = frame
  const { sandboxTools, printedPassword } = application().settings
  const others = testUsers.filter(({ username }) => username !== user.username)
  return (
    <Menu
      summary={
        <summary className="flex min-h-(--control) list-none items-center gap-x-2 [&::-webkit-details-marker]:hidden">
          <Identicon text={user.address} size={32} />
          <span className="sr-only">Menu of </span>
          <span className="min-w-0 leading-tight max-md:max-w-40">
            <span className="block truncate font-serif text-lg leading-tight">{user.displayName}</span>
            {/* On a phone, at the top of the open menu. */}
            <code className="block text-muted max-md:absolute max-md:top-full max-md:right-4 max-md:z-20 max-md:mt-3 max-md:hidden max-md:w-64 max-md:truncate max-md:group-open:block print:static print:block">
              {user.address}
            </code>
          </span>
          <span aria-hidden="true" className="text-muted print:hidden">
            ▾
          </span>
        </summary>
      }
    >
      {/* Leaving a temporary user needs the warning of the sign-in page. */}
      {others.length === 0 || printedPassword === undefined || user.temporary ? null : (
        <form method="post" action="/api/auth/callback/credentials" className="pb-2" aria-label="Test users">
          <input type="hidden" name="csrfToken" value={csrf} />
          <input type="hidden" name="callbackUrl" value="/wallets" />
          <input type="hidden" name="password" value={printedPassword} />
          <p className="label">Continue as</p>
          <p className="flex flex-wrap gap-x-5">
            {others.map(({ username, displayName }) => (
              <button
                key={username}
                name="username"
                value={username}
                className="button button-quiet"
                aria-label={`Continue as ${displayName}`}
              >
                {displayName}
              </button>
            ))}
          </p>
        </form>
      )}
      <p className="line flex flex-wrap gap-x-5 py-1">
        {/* public/keys.js reads the addresses here. */}
        <Link
          className="tap"
          href="/search#q"
          aria-keyshortcuts={keys.length === 0 ? undefined : '/'}
          data-keys={
            keys.length === 0
              ? undefined
              : JSON.stringify(Object.fromEntries(keys.map(([pressed, href]) => [pressed, href])))
          }
        >
          Search
        </Link>
        <Link className="tap" href="/search#keys" aria-keyshortcuts={keys.length === 0 ? undefined : '?'}>
          Keys
        </Link>
      </p>
      <p className="line flex flex-wrap gap-x-5 py-1">
        {sandboxTools ? (
          <Link className="tap" href="/login">
            Someone else
          </Link>
        ) : null}
        <Link className="tap" href="/settings">
          Settings
        </Link>
        <Link className="tap" href="/status">
          Status
        </Link>
        {sandboxTools ? (
          <Link className="tap" href="/sandbox">
            Sandbox desk
          </Link>
        ) : null}
      </p>
      <div className="line">
        <ThemeSwitch label="Choose the colours" {...theme} />
      </div>
      <form method="post" action="/logout" className="line pt-1">
        <button className="button button-quiet">Sign out</button>
      </form>
    </Menu>
  )
}
