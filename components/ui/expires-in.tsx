'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** Refreshes after the end, because the server rounded up and may not have reached it yet. */
const REFRESHES = 3

/**
 * The time left until a moment, updated each second. It counts down from the server's value, because the browser's clock
 * may be wrong. At the end the page is rendered again, so that it offers nothing that has expired. Without JavaScript it is
 * not shown, and the page shows the moment itself.
 */
export function ExpiresIn({ secondsLeft }: { readonly secondsLeft: number }) {
  const [left, setLeft] = useState<number>()
  const router = useRouter()
  useEffect(() => {
    const start = performance.now()
    let refreshes = 0
    const count = () => {
      const now = Math.max(0, secondsLeft - Math.floor((performance.now() - start) / 1000))
      setLeft(now)
      if (now > 0) return
      if (refreshes < REFRESHES) router.refresh()
      else clearInterval(timer)
      refreshes += 1
    }
    const timer = setInterval(count, 1_000)
    count()
    return () => clearInterval(timer)
  }, [secondsLeft, router])
  if (left === undefined) return null
  return (
    <span role="timer" className="figures">
      {left === 0 ? ' (expired)' : ` (${inWords(left)} left)`}
    </span>
  )
}

/** "3 days", "1:02:03", "9:05" */
function inWords(seconds: number): string {
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} days`
  const parts = [Math.floor((seconds % HOUR) / MINUTE), seconds % MINUTE]
  if (seconds >= HOUR) parts.unshift(Math.floor(seconds / HOUR))
  return parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
