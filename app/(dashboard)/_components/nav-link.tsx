'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

/** A link of the navigation that says when it is the page at hand; a layout on the server does not know. */
export function NavLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const here = usePathname() === href
  return (
    <Link href={href} className="tap" aria-current={here ? 'page' : undefined}>
      {children}
    </Link>
  )
}
