import { rosetteOf } from '@/lib/web/rosette'

interface Props {
  /** The address that the figure is drawn from. */
  readonly text: string
  readonly size?: number
  /** Multiplies the number of lines: a large figure needs more. */
  readonly fineness?: number
}

/** The rosette of an address. It is next to a name, so screen readers skip it. */
export function Identicon({ text, size = 40, fineness = 1 }: Props) {
  return (
    <svg viewBox="-50 -50 100 100" width={size} height={size} aria-hidden="true" className="shrink-0 text-accent">
      <g
        fill="none"
        stroke="currentColor"
        strokeWidth={1.4 / fineness}
        dangerouslySetInnerHTML={{ __html: ellipses(text, fineness) }}
      />
    </svg>
  )
}

/** One text instead of an element for each line: a page with twenty figures would have 300 more. It contains numbers only. */
function ellipses(text: string, fineness: number): string {
  return rosetteOf(text, fineness)
    .rings.flatMap(({ rx, ry, turns }) =>
      turns.map((turn) => `<ellipse rx="${rx}" ry="${ry}" transform="rotate(${turn})"/>`),
    )
    .join('')
}
