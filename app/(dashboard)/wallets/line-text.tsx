import { Link } from '@/components/ui/link'
import type { StatementLine } from '@/lib/wallets/queries'

interface Props {
  readonly text: string
  readonly memo: string | null
  /** The page of the payment or the invoice, if there is one. */
  readonly href: string | null
}

/** The description of an entry, as a link to its payment or invoice. */
export function LineText({ text, memo, href }: Props) {
  if (href === null) return text
  return (
    <>
      <Link className="row-link break-words text-ink decoration-rule hover:decoration-ink" href={href}>
        {text}
      </Link>
      {memo === null ? null : <span className="label line-clamp-2 break-words">{memo}</span>}
    </>
  )
}

/** The page about an entry. */
export function hrefOf(about: StatementLine['about']): string | null {
  return about === null ? null : `${about.what === 'invoice' ? '/invoices' : '/wallets/sent'}/${about.paymentHash}`
}
