import type { Metadata } from 'next'
import Link from 'next/link'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFoundPage() {
  return (
    <div className="page py-16">
      <h1>There is no such page</h1>
      <p className="mt-4">The address may be mistyped. Nothing went wrong on our side.</p>
      <p className="mt-6">
        <Link className="button" href="/">
          To the start
        </Link>
      </p>
    </div>
  )
}
