'use client'

import { createContext, useContext, type ReactNode } from 'react'

const InMain = createContext(false)

interface Props {
  /** Before the page, unless a layout has a header already. */
  readonly header?: ReactNode
  readonly children: ReactNode
}

/**
 * The page itself, the target of the skip link, after the header and the navigation. Next shows the pages for errors inside
 * a layout or instead of it; inside one that has a main already, this adds none.
 */
export function Main({ header, children }: Props) {
  if (useContext(InMain)) return <>{children}</>
  return (
    <InMain.Provider value>
      {header}
      <main id="main" tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
    </InMain.Provider>
  )
}
