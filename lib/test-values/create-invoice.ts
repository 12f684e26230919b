import { setTimeout as sleep } from 'node:timers/promises'
import type { CreateInvoice, CreatedInvoice, InvoiceRequest } from '../invoices/service'
import { readTestMemo } from './memos'
import type { TestPayer } from './test-payer'

/** Reads the test values in the memo of a user's own invoice. A payer's comment never comes here. */
export function withTestMemos(create: CreateInvoice, payer: Pick<TestPayer, 'payLater'>): CreateInvoice {
  return async (request) => {
    const { isExpired, autopaySeconds } = readTestMemo(request.description ?? '')
    if (isExpired) return createExpired(create, request)
    const created = await create(request)
    if (autopaySeconds !== undefined) payer.payLater(request, created, autopaySeconds)
    return created
  }
}

/** Creates an invoice of one second, the shortest time there is, and waits for its end. */
async function createExpired(create: CreateInvoice, request: InvoiceRequest): Promise<CreatedInvoice> {
  const created = await create({ ...request, expirySeconds: 1 })
  await sleep(1_000)
  return created
}
