'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

interface Props {
  readonly href: string
  /** Loads the page before the user follows the link. */
  readonly prefetch?: boolean
  readonly children: ReactNode
}

/** A link of the navigation, marked on its page and on the pages below it. */
export function NavLink({ href, prefetch = false, children }: Props) {
  const path = usePathname()
  const current = path === href ? 'page' : sectionOf(path) === href ? 'true' : undefined
  return (
    <Link href={href} className="tap" aria-current={current} prefetch={prefetch ? null : false}>
      {children}
    </Link>
  )
}

const SECTIONS = ['/wallets', '/wallets/send', '/wallets/receive', '/invoices', '/requests', '/connections']

/** The link of the navigation that a page belongs to: the longest one that its path begins with. */
export function sectionOf(path: string): string | undefined {
  // Its path begins like the section "Wallets".
  if (path.startsWith('/wallets/quotes/')) return '/wallets/send'
  if (path.startsWith('/developers/') || path.split('/')[1] === 'sandbox') return '/developers/wire'
  return SECTIONS.filter((section) => path === section || path.startsWith(`${section}/`))
    .toSorted((a, b) => b.length - a.length)
    .at(0)
}
