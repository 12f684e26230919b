'use client'

import { createContext, useContext, type ReactNode } from 'react'

/** The name of who is shown in the header, which stays while one moves from page to page. */
const Shown = createContext<string | undefined>(undefined)
export const ShownPerson = Shown.Provider

interface Props {
  readonly action: string
  readonly className?: string
  readonly children: ReactNode
}

/**
 * A form that does something for the person it was shown to, and names them. Whoever has signed in as somebody else in another
 * tab of the browser is told so, and nothing is done in the new person's name.
 */
export function PersonForm({ children, ...form }: Props) {
  return (
    <form method="post" {...form}>
      <input type="hidden" name="shown_to" value={useContext(Shown)} autoComplete="off" />
      {children}
    </form>
  )
}
