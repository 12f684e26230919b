import type { ReactNode } from 'react'

/** An error that does not belong to a single field: what happened, whose fault it is, what to do. It takes the focus like `Success`. */
export function Alert({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" className="mt-4 max-w-2xl border-l-2 border-red pl-3 outline-none" tabIndex={-1} autoFocus>
      <strong className="font-semibold text-red">×</strong> {children}
    </p>
  )
}

/** Confirms the result of a form. It takes the focus, so that a screen reader begins with it after the page has loaded. */
export function Success({ children }: { readonly children: ReactNode }) {
  return (
    <output className="mt-4 block text-green outline-none" tabIndex={-1} autoFocus>
      ✓ {children}
    </output>
  )
}
