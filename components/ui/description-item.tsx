import type { ReactNode } from 'react'

/** One line of a list of facts, inside a `dl`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="line grid grid-cols-[9rem_1fr] gap-x-4 py-2 max-[480px]:grid-cols-1">
      <dt className="label pt-px">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}
