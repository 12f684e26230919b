import type { TlvRecord } from '@/lib/lightning/node'

/** What the network does with payments that are sent from now on. */
export type Fate = 'arrives' | 'is refused' | 'is held'

export interface LndPayment {
  readonly paymentIndex: bigint
  readonly status: 'IN_FLIGHT' | 'SUCCEEDED' | 'FAILED'
  readonly failureReason: string
  readonly preimage: string
  readonly feeMsat: bigint
}

export interface LndInvoice {
  readonly paymentHash: string
  readonly paymentRequest: string
  readonly preimage: string
  readonly valueMsat: bigint | undefined
  readonly state: 'OPEN' | 'SETTLED' | 'CANCELED'
  /** 0 until it is settled. */
  readonly settleIndex: bigint
  readonly amountPaidMsat: bigint
  readonly isKeysend: boolean
  readonly records: readonly TlvRecord[]
}

export interface SendRequest {
  readonly paymentHash: string
  readonly paymentRequest?: string
  readonly keysend?: { readonly destination: string; readonly preimage: string; readonly records: readonly TlvRecord[] }
  /** Set only if the invoice has no amount. */
  readonly amountMsat?: bigint
  readonly feeLimitMsat: bigint
}

/** An answer of LND other than 200. */
export interface LndError extends Error {
  readonly status: number
}

export function isLndError(error: unknown): error is LndError {
  return error instanceof Error && 'status' in error
}

export const answer = (status: number, message: string): Error => Object.assign(new Error(message), { status })
export const broken = (code: string): Error => Object.assign(new Error(code), { code })
