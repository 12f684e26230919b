'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from './ui/link'

interface Props {
  readonly href: string
  readonly children: ReactNode
}

/** A link of the navigation, marked on its page and on the pages below it. */
export function NavLink({ href, children }: Props) {
  const path = usePathname()
  const current = path === href ? 'page' : sectionOf(path) === href ? 'true' : undefined
  return (
    <Link href={href} className="tap" aria-current={current}>
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
