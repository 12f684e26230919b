'use client'

import { useEffect, useState } from 'react'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/**
 * What is left until a moment, each second anew. It counts from what the server said is left: the browser's clock may
 * be wrong. Without JavaScript it is not there, and the moment itself stands beside it.
 */
export function ExpiresIn({ secondsLeft }: { readonly secondsLeft: number }) {
  const [left, setLeft] = useState<number>()
  useEffect(() => {
    const start = performance.now()
    const count = () => setLeft(Math.max(0, secondsLeft - Math.floor((performance.now() - start) / 1000)))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [secondsLeft])
  if (left === undefined) return null
  return (
    <span role="timer" className="figures">
      {left === 0 ? ', which is now' : `, in ${inWords(left)}`}
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
