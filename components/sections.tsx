'use client'

import { usePathname } from 'next/navigation'
import { Link } from './ui/link'

/** The sections of the navigation, each with the pages of its second line. */
const SECTIONS = {
  Wallet: [
    ['/wallets', 'Wallets'],
    ['/activity', 'Activity'],
    ['/wallets/send', 'Send'],
    ['/wallets/receive', 'Receive'],
    ['/requests', 'Requests'],
    ['/invoices', 'Invoices'],
  ],
  Apps: [['/connections', 'Connections']],
  Developers: [
    ['/developers', 'Overview'],
    ['/developers/start', 'App guide'],
    ['/developers/wire', 'The Wire'],
    ['/developers/api', 'API reference'],
    ['/developers/gateway', 'Gateway kit'],
    ['/developers/token', 'Token inspector'],
    ['/developers/errors', 'Error recipes'],
    ['/show', 'Show'],
    ['/sandbox', 'Sandbox desk'],
  ],
} as const
type Section = keyof typeof SECTIONS
const NAMES = Object.keys(SECTIONS) as Section[]

interface Props {
  /** Open requests for money. Undefined without UMA invoices: users have no requests. */
  readonly requests: number | undefined
  /** Whether this server has the pages for developers. */
  readonly developers: boolean
  /** Other sites, in the second line of the apps. */
  readonly sites: readonly { readonly href: string; readonly name: string }[]
  /** What is pressed for a page, by its address. Empty when the keys are off. `aria-keyshortcuts` has no form for two keys in turn. */
  readonly keys: Readonly<Record<string, string>>
}

/** Two lines: the sections, and the pages of the section that is open. Both mark where the reader is. */
export function Sections({ requests, developers, sites, keys }: Props) {
  const { section, page, isPage } = placeOf(usePathname())
  const pages =
    section === undefined ? [] : SECTIONS[section].filter(([href]) => href !== '/requests' || requests !== undefined)
  const hintOf = (href: string) => (keys[href] === undefined ? undefined : `Keys: ${keys[href]}`)
  return (
    <nav aria-label="Main" className="contents">
      <div className="flex gap-x-6 max-md:order-3 max-md:w-full md:ml-6">
        {NAMES.filter((name) => name !== 'Developers' || developers).map((name) => (
          <Link
            key={name}
            href={SECTIONS[name][0][0]}
            className="tap font-medium"
            title={hintOf(SECTIONS[name][0][0])}
            aria-current={name === section ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
      </div>
      {pages.length === 0 ? null : (
        <div className="line order-last flex w-full flex-wrap gap-x-5 pt-1.5 max-md:gap-x-3.5 max-md:text-sm">
          {pages.map(([href, name]) => (
            <Link
              key={href}
              href={href}
              className="tap"
              title={hintOf(href)}
              aria-current={href !== page ? undefined : isPage ? 'page' : 'true'}
            >
              {href === '/requests' && requests !== 0 ? `${name} (${requests})` : name}
            </Link>
          ))}
          {section !== 'Apps'
            ? null
            : sites.map(({ href, name }) => (
                <a key={href} className="tap" href={href}>
                  {name}
                </a>
              ))}
        </div>
      )}
    </nav>
  )
}

interface Place {
  readonly section?: Section
  /** The address in the second line that the path belongs to: the longest one that the path begins with. */
  readonly page?: string
  /** Whether it is the path itself. */
  readonly isPage?: boolean
}

/** Where a path is in the navigation. */
export function placeOf(path: string): Place {
  // Its path begins like the page "Wallets".
  const asked = path.startsWith('/wallets/quotes/') ? '/wallets/send/' : path
  const found = NAMES.flatMap((section) => SECTIONS[section].map(([page]) => ({ section, page })))
    .filter(({ page }) => asked === page || asked.startsWith(`${page}/`))
    .toSorted((a, b) => b.page.length - a.page.length)
    .at(0)
  return found === undefined ? {} : { ...found, isPage: path === found.page }
}
