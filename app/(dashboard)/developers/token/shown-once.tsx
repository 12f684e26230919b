'use client'

import { useState, type ReactNode } from 'react'

/** Keeps what the page was loaded with: a later refresh of the page, after an event, no longer has it. */
export function ShownOnce({ children }: { readonly children: ReactNode }) {
  const [first] = useState(children)
  return first
}
