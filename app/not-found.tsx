import type { Metadata } from 'next'
import { BankHeader } from '@/components/bank-link'
import { Main } from '@/components/main'
import { Link } from '@/components/ui/link'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFoundPage() {
  return (
    <Main header={<BankHeader />}>
      <div className="page py-16">
        <h1>Page not found</h1>
        <p className="mt-4 max-w-2xl">
          The address may be mistyped. Or what it led to was deleted: unpaid invoices and unused quotes 30 days after
          they expired, connections without payments 90 days after they ended. Nothing went wrong on our side.
        </p>
        <p className="mt-6">
          <Link className="button" href="/">
            Home
          </Link>
        </p>
      </div>
    </Main>
  )
}
