interface Props {
  /** An amount in words, "+1,234.50". */
  readonly text: string
  /** The currency, where no column or heading has it. */
  readonly code?: string | undefined
}

/** An amount whose digits align in columns: minor units keep their size and are only muted. */
export function Figures({ text, code }: Props) {
  const point = text.indexOf('.')
  return (
    <span className="figures whitespace-nowrap">
      {point < 0 ? text : text.slice(0, point)}
      {point < 0 ? null : <span className="text-muted">{text.slice(point)}</span>}
      {code === undefined ? null : ` ${code}`}
    </span>
  )
}
