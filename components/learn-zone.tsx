'use client'

import { useEffect } from 'react'

const YEAR_SECONDS = 31_536_000

/**
 * Names the browser's time zone in a cookie for the next page. It changes nothing on this one, so that no time jumps before the user's
 * eyes. Without JavaScript, times are in UTC.
 */
export function LearnZone({ cookie }: { readonly cookie: string }) {
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    document.cookie = `${cookie}=${zone}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`
  }, [cookie])
  return null
}
