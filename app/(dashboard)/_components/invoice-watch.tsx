'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

const EVERY_MS = 2_000

/** Asks after an open invoice while its page is seen, and has the page drawn anew once it is paid or expired. */
export function InvoiceWatch({ paymentHash }: { readonly paymentHash: string }) {
  const router = useRouter()
  useEffect(() => {
    const ask = async () => {
      if (document.visibilityState !== 'visible') return
      const state = await readState(paymentHash)
      if (state === 'paid' || state === 'expired') router.refresh()
    }
    const askSoon = () => void ask()
    const timer = setInterval(askSoon, EVERY_MS)
    document.addEventListener('visibilitychange', askSoon)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', askSoon)
    }
  }, [paymentHash, router])
  return null
}

/** Undefined when the server cannot be asked just now: the next question may get an answer. */
async function readState(paymentHash: string): Promise<string | undefined> {
  try {
    const response = await fetch(`/invoices/${paymentHash}/state`)
    return response.ok ? ((await response.json()) as { state: string }).state : undefined
  } catch {
    return undefined
  }
}
