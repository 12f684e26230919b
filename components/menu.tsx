'use client'

import { useEffect, useRef, type ReactNode } from 'react'

interface Props {
  readonly summary: ReactNode
  readonly children: ReactNode
}

/** A menu that opens without JavaScript. With it, Escape, a link of the menu and a click elsewhere close the menu. */
export function Menu({ summary, children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const closeOn = ({ type, target }: Event) => {
      const isInside = menu.current?.contains(target as Node) === true
      if (menu.current === null || (isInside && !(type === 'click' && (target as Element).closest('a')))) return
      menu.current.open = false
    }
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || menu.current?.open !== true) return
      menu.current.open = false
      menu.current.querySelector('summary')?.focus()
    }
    document.addEventListener('click', closeOn, { signal })
    document.addEventListener('focusin', closeOn, { signal })
    document.addEventListener('keydown', closeOnEscape, { signal })
    return () => ended.abort()
  }, [])
  return (
    <details ref={menu} className="group relative ml-auto max-md:order-2">
      {summary}
      <div className="absolute right-0 z-10 mt-1 w-72 border border-muted bg-paper px-4 py-3 shadow-lg max-md:pt-10 print:hidden">
        {children}
      </div>
    </details>
  )
}
