import { NodeName } from '@/components/node-name'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem, DescriptionTotal } from '@/components/ui/description-item'
import { Expiry } from '@/components/ui/time'
import { currencyOf } from '@/lib/money/currencies'
import type { Preview } from '@/lib/payments/preview'
import { visibleText } from '@/lib/platform/visible-text'

interface Props {
  readonly preview: Extract<Preview, { kind: 'ready' }>
  readonly now: Date
  /** The name of this VASP, when its own node is paid. */
  readonly ourNode: string | undefined
}

/** A decoded invoice and the current cost of paying it. */
export function PaymentPreview({ preview, now, ourNode }: Props) {
  const { walletCode } = preview
  return (
    <>
      <dl className="mt-4">
        <DescriptionItem term="Amount">
          <Amount units={preview.amountMsats} code="SAT" />
        </DescriptionItem>
        <DescriptionItem term="Memo">{visibleText(preview.description) ?? 'none'}</DescriptionItem>
        <DescriptionItem term="Pay from">
          {walletCode}, {currencyOf(walletCode).name}
        </DescriptionItem>
        {preview.rateText === null ? null : (
          <DescriptionItem term="Rate">
            <span className="figures">{preview.rateText}</span> (fixed in this sandbox)
          </DescriptionItem>
        )}
        <DescriptionItem term="Fee">
          {preview.feeLimitMsats === 0n ? (
            'none'
          ) : (
            <>
              up to <Amount units={preview.feeLimitMsats} code="SAT" />; the unused part is returned
            </>
          )}
        </DescriptionItem>
        <DescriptionTotal term={preview.feeLimitMsats === 0n ? 'You pay' : 'You pay at most'}>
          <Amount units={preview.debit} code={walletCode} />
        </DescriptionTotal>
      </dl>
      <div className="double-rule" />
      <dl className="mt-4">
        <DescriptionItem term="Expires">
          <Expiry at={preview.expiresAt} now={now} />
        </DescriptionItem>
        <DescriptionItem term="Node">
          {ourNode === undefined ? (
            <NodeName publicKeyHex={preview.payee} />
          ) : (
            <>
              <code>{preview.payee}</code>
              <span className="block text-green">✓ the node of {ourNode}</span>
            </>
          )}
        </DescriptionItem>
        <DescriptionItem term="Payment hash">
          <code>{preview.paymentHash}</code>
        </DescriptionItem>
      </dl>
    </>
  )
}
