import { CopyField } from '@/components/ui/copy-field'
import { decryptedText, type SuccessAction } from '@/lib/uma/client/success-action'

interface Props {
  readonly action: SuccessAction
  /** Hex. */
  readonly preimage: string
  readonly receiver: string
}

/** What the receiver sent for the payer of a successful payment (LUD-09). */
export function SuccessActionSection({ action, preimage, receiver }: Props) {
  return (
    <section aria-labelledby="from-receiver" className="mt-8">
      <h2 id="from-receiver" className="mb-2">
        From the recipient
      </h2>
      <p className="label mb-2 break-words">{receiver} sent this with the payment.</p>
      <Content action={action} preimage={preimage} />
    </section>
  )
}

function Content({ action, preimage }: Pick<Props, 'action' | 'preimage'>) {
  switch (action.tag) {
    case 'message':
      return <p className="break-words whitespace-pre-line">{action.message}</p>
    case 'url':
      return (
        <>
          {action.description === '' ? null : <p className="mb-2 break-words">{action.description}</p>}
          <a className="break-all underline" href={action.url} rel="noreferrer noopener" target="_blank">
            {action.url}
          </a>
        </>
      )
    case 'aes': {
      const text = decryptedText(action, preimage)
      return (
        <>
          {action.description === '' ? null : <p className="mb-2 break-words">{action.description}</p>}
          {text === undefined ? (
            <p>The recipient’s text cannot be decrypted with the preimage of this payment. Ask the recipient for it.</p>
          ) : (
            <CopyField label="Decrypted text" text={text} />
          )}
        </>
      )
    }
  }
}
