import type { ReactNode } from 'react'

interface StepProps {
  /** The fragment of the step's address. */
  readonly id: string
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

/** A step of the show, with its number beside it. */
export function Step({ id, number, title, children }: StepProps) {
  return (
    <li className="line grid gap-x-4 py-6 md:grid-cols-[3.5rem_minmax(0,1fr)]">
      <span aria-hidden="true" className="font-serif text-2xl leading-none text-muted max-md:text-xl">
        {number}
      </span>
      <section aria-labelledby={id} className="min-w-0">
        <h2 id={id} className="scroll-mt-8">
          {title}
        </h2>
        {children}
      </section>
    </li>
  )
}

export function Text({ children }: { readonly children: ReactNode }) {
  return <p className="mt-2 max-w-3xl text-muted">{children}</p>
}

/** A link to another app of the sandbox. It opens a new tab, so that the show stays open, and the app cannot reach this page. */
export function AppLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a className="button" href={href} target="_blank" rel="noopener">
      {children}
      <span className="sr-only"> in a new tab</span>
    </a>
  )
}
