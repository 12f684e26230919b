'use client'

import { createContext, useContext, type ReactNode } from 'react'

/** The user that the header shows. It stays while the user navigates between pages. */
const ShownUser = createContext<string | undefined>(undefined)
export const FormUser = ShownUser.Provider

interface Props {
  readonly action: string
  readonly className?: string
  /** What is shown beside the button while the browser waits for the answer. */
  readonly busy?: string
  readonly children: ReactNode
}

/**
 * A form that acts for the user it was shown to, and sends that user's name. When another user has signed in in another tab of the
 * browser, the server refuses the form.
 */
export function UserForm({ children, busy, ...form }: Props) {
  return (
    <form method="post" data-busy={busy} {...form}>
      <input type="hidden" name="form_user" value={useContext(ShownUser)} autoComplete="off" />
      {children}
    </form>
  )
}
