import { Amount } from '@/components/ui/amount'
import { DoubleRule } from '@/components/ui/double-rule'
import { currencyOf } from '@/lib/money/currencies'
import type { Preview } from '@/lib/payments/preview'
import { Expiry } from '@/components/ui/expiry'
import { Fact } from '@/components/ui/description-item'
import { NodeName } from '@/components/node-name'

interface Props {
  readonly preview: Extract<Preview, { kind: 'ready' }>
  readonly now: Date
  /** Our name, when it is our own node that is paid. */
  readonly ourNode: string | undefined
}

/** A decoded invoice and what paying it would cost at this moment. */
export function PaymentPreview({ preview, now, ourNode }: Props) {
  const { walletCode } = preview
  return (
    <>
      <dl className="mt-4">
        <Fact name="Amount">
          <Amount units={preview.amountMsats} code="SAT" />
        </Fact>
        <Fact name="Memo">{preview.description || 'none'}</Fact>
        <Fact name="To the node">
          {ourNode === undefined ? (
            <NodeName publicKeyHex={preview.payee} />
          ) : (
            <>
              <code>{preview.payee}</code>
              <span className="block text-green">✓ the node of {ourNode}</span>
            </>
          )}
        </Fact>
        <Fact name="Payment hash">
          <code>{preview.paymentHash}</code>
        </Fact>
        <Fact name="Expires">
          <Expiry at={preview.expiresAt} now={now} />
        </Fact>
        <Fact name="From the wallet">
          {walletCode}, {currencyOf(walletCode).name}
        </Fact>
        {preview.rateText === null ? null : (
          <Fact name="Rate">
            <span className="figures">{preview.rateText}</span>, fixed in this sandbox
          </Fact>
        )}
        <Fact name="Fee">
          {preview.feeLimitMsats === 0n ? (
            'none'
          ) : (
            <>
              at most <Amount units={preview.feeLimitMsats} code="SAT" />; what is not needed comes back
            </>
          )}
        </Fact>
        <div className="line flex items-baseline justify-between gap-x-4 py-3">
          <dt className="font-serif text-lg">{preview.feeLimitMsats === 0n ? 'It costs' : 'It costs at most'}</dt>
          <dd className="font-serif text-xl">
            <Amount units={preview.debit} code={walletCode} />
          </dd>
        </div>
      </dl>
      <DoubleRule />
    </>
  )
}
