import type { ReactNode } from 'react'

/** For `aria-describedby` of the field that is at fault. */
export const PROBLEM_ID = 'problem'

/** What happened, whose side, what to do. */
export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" id={PROBLEM_ID} className="mt-4 max-w-2xl border-l-2 border-red pl-3">
      <strong className="font-semibold text-red">× Not done.</strong> {children}
    </p>
  )
}

export function Done({ children }: { readonly children: ReactNode }) {
  return <output className="mt-4 block text-green">✓ {children}</output>
}
