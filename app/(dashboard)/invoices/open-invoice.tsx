import type { ReactNode } from 'react'
import { StateWatch } from '@/components/state-watch'
import { CopyField } from '@/components/ui/copy-field'
import { QrBlock } from '@/components/ui/qr-block'

interface Props {
  /** The path of the page; the invoice's state is at `/state` below it. */
  readonly path: string
  readonly name: 'invoice' | 'UMA invoice'
  /** The label of the text. */
  readonly label: string
  readonly encoded: string
  /** The details of the invoice. */
  readonly children: ReactNode
}

/** An invoice that can still be paid: its QR code, its details and its text. The page follows its state. */
export function OpenInvoice({ path, name, label, encoded, children }: Props) {
  return (
    <>
      <StateWatch url={`${path}/state`} state="open" />
      <noscript>
        <a className="tap" href={path}>
          Refresh
        </a>
      </noscript>
      <div className="mt-6 grid gap-x-14 gap-y-8 lg:grid-cols-[20rem_1fr]">
        <div className="max-w-80 max-lg:mx-auto max-lg:w-full">
          <QrBlock text={encoded.toUpperCase()} label={`QR code of this ${name} (the text is next to it)`} />
        </div>
        <div className="min-w-0">
          {children}
          <div className="mt-6">
            <CopyField label={label} text={encoded} />
          </div>
        </div>
      </div>
    </>
  )
}
