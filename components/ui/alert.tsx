import type { ReactNode } from 'react'

/** What happened, whose fault it is, what to do; where it is about no single field. */
export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" className="mt-4 max-w-2xl border-l-2 border-red pl-3">
      <strong className="font-semibold text-red">× Not done.</strong> {children}
    </p>
  )
}

export function Done({ children }: { readonly children: ReactNode }) {
  return <output className="mt-4 block text-green">✓ {children}</output>
}
