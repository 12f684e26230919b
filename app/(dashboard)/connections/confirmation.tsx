import type { ReactNode } from 'react'
import { CONFIRMATION } from '@/lib/web/connection-links'

interface Props {
  readonly title: string
  readonly text: string
  /** The form that carries out the action, then the link back. */
  readonly children: ReactNode
}

/**
 * Asks before something that cannot be undone. The section takes the focus instead of its button, so that a second Enter does not confirm
 * what the user has not read.
 */
export function Confirmation({ title, text, children }: Props) {
  return (
    <section
      id={CONFIRMATION}
      tabIndex={-1}
      aria-labelledby="confirmation-title"
      aria-describedby="confirmation-text"
      className="mt-4 scroll-mt-32 border-l-2 border-red py-1 pl-3"
    >
      <p id="confirmation-title" className="font-serif text-lg break-words">
        {title}
      </p>
      <p id="confirmation-text" className="mt-1 max-w-2xl">
        {text}
      </p>
      <div className="mt-3 flex flex-wrap gap-3">{children}</div>
    </section>
  )
}
