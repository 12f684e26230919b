interface Props {
  readonly memo: string | null
  /** When there is none. */
  readonly otherwise: string
}

/** Longer than a heading, a memo is set as text: an app may write 639 bytes. */
const LONG = 60

export function MemoHeading({ memo, otherwise }: Props) {
  const text = memo === null || memo === '' ? otherwise : memo
  return <h1 className={`mt-2 break-words ${text.length > LONG ? 'max-w-3xl text-xl' : ''}`}>{text}</h1>
}
