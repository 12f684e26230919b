'use client'

import { useId, useRef, useState } from 'react'

interface Props {
  readonly label: string
  readonly text: string
  /** A text of many lines: its button is above it. */
  readonly isLong?: boolean
}

/** A long text with a button that copies it. When the browser has no clipboard, the text is selected instead. */
export function CopyField({ label, text, isLong = false }: Props) {
  const [said, setSaid] = useState('')
  const box = useRef<HTMLElement>(null)
  const id = useId()
  const copy = async () => {
    if (await putOnClipboard(text)) {
      setSaid('✓ Copied')
      return
    }
    if (box.current !== null) globalThis.getSelection()?.selectAllChildren(box.current)
    setSaid('Selected. Press Ctrl+C or ⌘C to copy.')
  }
  return (
    <div className={isLong ? 'flex flex-col' : undefined}>
      <p className="label" id={id}>
        {label}
      </p>
      <code
        ref={box}
        className={`mt-1 block border border-muted px-3 py-2 whitespace-pre-wrap select-all ${isLong ? 'order-last' : ''}`}
      >
        {text}
      </code>
      <p className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 noscript:hidden">
        <button type="button" className="button" onClick={() => void copy()} aria-describedby={id}>
          Copy
        </button>
        <output className="text-sm">{said}</output>
      </p>
    </div>
  )
}

/** False when there is no clipboard (plain http) or the browser refuses it. */
async function putOnClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
