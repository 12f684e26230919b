import { shareOfTime } from '@/lib/sandbox/wire/details'

interface Props {
  readonly issuedAt: Date
  readonly expiresAt: Date
  /** Marks the moment of a call. */
  readonly calledAt?: Date
  readonly now: Date
}

/** The lifetime of a token from left to right. The list above states it in words. */
export function TimeBar({ issuedAt, expiresAt, calledAt, now }: Props) {
  const at = (moment: Date): number => shareOfTime(moment, issuedAt, expiresAt) * 100
  return (
    <figure className="mt-3">
      <Bar filled={at(now)}>
        {calledAt === undefined ? null : (
          <rect x={Math.max(0, at(calledAt) - 0.4)} width="0.4" height="10" className="fill-ink" />
        )}
      </Bar>
      <figcaption className="label mt-1 flex flex-wrap justify-between gap-x-4">
        <span>issued</span>
        <span>{calledAt === undefined ? 'filled: until now' : 'filled: until now; line: this call'}</span>
        <span>expires</span>
      </figcaption>
    </figure>
  )
}

/** A bar that is filled to a percentage. The text beside it has the same information. */
export function Bar({ filled, children }: { readonly filled: number; readonly children?: React.ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      className="block h-4 w-full border border-rule"
    >
      <rect width={Math.min(100, filled)} height="10" className="fill-accent" opacity="0.25" />
      {children}
    </svg>
  )
}
