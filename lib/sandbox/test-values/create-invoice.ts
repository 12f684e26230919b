import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedInvoice, CreateInvoice, InvoiceRequest } from '../../invoices/service'
import { makeConcurrencyLimiter } from '../../platform/concurrency/concurrency-limiter'
import { busy } from '../../platform/errors'
import { readTestMemo } from './memos'
import type { TestPayer } from './test-payer'

/** Reads the test values in the memo of a user's own invoice. A payer's comment is never read. */
export function withTestMemos(create: CreateInvoice, payer: Pick<TestPayer, 'payLater'>): CreateInvoice {
  return async (request) => {
    const { isExpired, autopaySeconds } = readTestMemo(request.description ?? '')
    if (isExpired) return createExpired(create, request)
    const created = await create(request)
    if (autopaySeconds !== undefined) payer.payLater(request, created, autopaySeconds)
    return created
  }
}

/** Each waiting call keeps a request open. */
const waiting = makeConcurrencyLimiter({ maxConcurrent: 20, maxQueued: 0 })

/** Creates an invoice that is valid for one second, the minimum, and waits until it expires. */
async function createExpired(create: CreateInvoice, request: InvoiceRequest): Promise<CreatedInvoice> {
  if (!waiting.hasRoom()) throw busy(1)
  return waiting.run(async () => {
    const created = await create({ ...request, expirySeconds: 1 })
    await sleep(1_000)
    return created
  })
}
