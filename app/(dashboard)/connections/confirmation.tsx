import type { ReactNode } from 'react'
import { QUESTION } from '@/lib/ui/connection-links'

interface Props {
  readonly title: string
  readonly words: string
  /** The form that does it, then the way back. */
  readonly children: ReactNode
}

/**
 * Asks before something is done that cannot be undone. The whole of it takes the focus, not its button: a second Enter
 * must not answer what nobody has read.
 */
export function Question({ title, words, children }: Props) {
  return (
    <section
      id={QUESTION}
      tabIndex={-1}
      aria-labelledby="question-title"
      aria-describedby="question-words"
      className="mt-4 scroll-mt-32 border-l-2 border-red py-1 pl-3"
    >
      <p id="question-title" className="font-serif text-lg break-words">
        {title}
      </p>
      <p id="question-words" className="mt-1 max-w-2xl">
        {words}
      </p>
      <div className="mt-3 flex flex-wrap gap-3">{children}</div>
    </section>
  )
}

export function Cancel({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <a className="button" href={to}>
      {children}
    </a>
  )
}
