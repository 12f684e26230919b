import { visibleText } from '@/lib/platform/visible-text'

interface Props {
  readonly memo: string | null | undefined
  /** The heading when there is no memo. */
  readonly otherwise: string
}

/** A longer memo is shown as text, because an app may write 639 bytes. */
const LONG = 60

export function MemoHeading({ memo, otherwise }: Props) {
  const text = visibleText(memo) ?? otherwise
  return <h1 className={`mt-2 break-words ${text.length > LONG ? 'max-w-3xl text-xl' : ''}`}>{text}</h1>
}
