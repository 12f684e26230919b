import { encode } from 'uqr'

interface Props {
  /** Encoded unchanged. Pass an invoice in upper case for a smaller code, which all wallets read, and an address in lower case. */
  readonly text: string
  readonly label: string
}

/** A QR code drawn on the server, dark on white in both themes because cameras expect it. The text is beside it. */
export function QrBlock({ text, label }: Props) {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="block w-full"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(rowPath).join('')} fill="#000" />
    </svg>
  )
}

/** One bar for each run of dark modules: a third of the size of one square for each. */
function rowPath(row: readonly boolean[], y: number): string {
  const line = row.map((dark) => (dark ? '1' : '0')).join('')
  return Array.from(line.matchAll(/1+/g), (run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`).join('')
}
