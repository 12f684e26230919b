import type { ReactNode } from 'react'

interface Props {
  readonly term: string
  readonly children: ReactNode
  /** The layout, when term and description are not side by side. */
  readonly className?: string
}

const SIDE_BY_SIDE = 'line grid grid-cols-[9rem_1fr] gap-x-4 py-2 max-sm:grid-cols-1 [&>dt]:pt-px'

/** A term and its description, inside a `dl`. */
export function DescriptionItem({ term, children, className = SIDE_BY_SIDE }: Props) {
  return (
    <div className={className}>
      <dt className="label min-w-0 break-words">{term}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}

/** A total in large figures, at the end of a description list. */
export function DescriptionTotal({ term, children }: Pick<Props, 'term' | 'children'>) {
  return (
    <div className="line flex items-baseline justify-between gap-x-4 py-3">
      <dt className="font-serif text-lg">{term}</dt>
      <dd className="font-serif text-xl">{children}</dd>
    </div>
  )
}
