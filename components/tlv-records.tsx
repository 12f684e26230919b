import { DescriptionItem } from '@/components/ui/description-item'
import type { TlvRecord } from '@/lib/lightning/node'
import { isVisibleLine } from '@/lib/platform/visible-text'

const NAMES = new Map([
  [696_969, 'recipient'],
  [34_349_334, 'message'],
])

/** The records of a keysend. A record that is text is shown as text, any other as it is. */
export function Records({ records }: { readonly records: readonly TlvRecord[] }) {
  return (
    <dl>
      {records.map(({ type, value }, index) => (
        <DescriptionItem key={`${type} ${index}`} term={`Record ${type}`}>
          {NAMES.has(type) ? <span className="label block">{NAMES.get(type)}</span> : null}
          <Value hex={value} />
        </DescriptionItem>
      ))}
    </dl>
  )
}

function Value({ hex }: { readonly hex: string }) {
  const text = Buffer.from(hex, 'hex').toString('utf8')
  return isVisibleLine(text) && !text.includes('�') ? <>{text}</> : <code>{hex === '' ? 'empty' : hex}</code>
}
