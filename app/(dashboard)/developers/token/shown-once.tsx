'use client'

import { useState, type ReactNode } from 'react'

/** Keeps the token from the first load: a later refresh of the page, after an event, no longer receives it. */
export function ShownOnce({ children }: { readonly children: ReactNode }) {
  const [first] = useState(children)
  return first
}
