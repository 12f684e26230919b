'use client'

import { createContext, useContext } from 'react'

/** The name of who is shown in the header, which stays while one moves from page to page. */
const Shown = createContext<string | undefined>(undefined)
export const ShownPerson = Shown.Provider

/**
 * Names the person whom a form was shown to. Whoever has signed in as somebody else in another tab of the browser is told so,
 * and nothing is done in the new person's name.
 */
export function ShownTo() {
  return <input type="hidden" name="shown_to" value={useContext(Shown)} autoComplete="off" />
}
