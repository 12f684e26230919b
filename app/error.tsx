'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { Main } from '@/components/main'
import { Link } from '@/components/ui/link'

/** The page for an internal error. The log has the cause, under the same number. */
export default function ErrorPage({
  error,
  reset,
}: {
  readonly error: Error & { digest?: string }
  readonly reset: () => void
}) {
  const router = useRouter()
  // `reset` alone would render the failed answer of the server again.
  const tryAgain = () =>
    startTransition(() => {
      router.refresh()
      reset()
    })
  return (
    <Main>
      <div className="page py-16">
        <h1>Something went wrong on our side</h1>
        <p className="mt-4">This was not your fault. Try again in a moment.</p>
        {error.digest === undefined ? null : (
          <p className="label mt-2">
            Log reference: <code>{error.digest}</code>
          </p>
        )}
        <p className="mt-6 flex flex-wrap gap-3">
          <button className="button" onClick={tryAgain}>
            Try again
          </button>
          <Link className="button" href="/">
            Home
          </Link>
        </p>
      </div>
    </Main>
  )
}
