'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { sectionOf } from './section'

interface Props {
  readonly href: string
  /** Load the page before it is asked for. */
  readonly prefetch?: boolean
  readonly children: ReactNode
}

/** A link of the navigation that is marked on its page and on the pages below it. */
export function NavLink({ href, prefetch = false, children }: Props) {
  const path = usePathname()
  const current = path === href ? 'page' : sectionOf(path) === href ? 'true' : undefined
  return (
    <Link href={href} className="tap" aria-current={current} prefetch={prefetch ? null : false}>
      {children}
    </Link>
  )
}
