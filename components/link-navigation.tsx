'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Opens the pages behind every `Link` without a new document. Other links, and clicks for a new tab, are left to the browser. */
export function LinkNavigation() {
  const router = useRouter()
  useEffect(() => {
    const open = (event: MouseEvent) => {
      const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      const link = event.target instanceof Element ? event.target.closest('a[data-page-link]') : null
      const href = link?.getAttribute('href')
      if (!isPlain || event.defaultPrevented || href === null || href === undefined) return
      event.preventDefault()
      router.push(href)
    }
    document.addEventListener('click', open)
    return () => document.removeEventListener('click', open)
  }, [router])
  return null
}
