import type { UmaInvoiceAnswers } from '../server/types'
import { answerRequest } from './answer-request'
import { decodeUmaInvoice } from './codec'
import { createUmaInvoice, isPayerAddress } from './create'
import { readUmaInvoice } from './pay'
import { findUmaInvoice, listUmaInvoices } from './queries'
import { requestProblem } from './request-problem'
import { countOpenRequests, declineRequest, listRequests } from './requests'
import { findClaim } from './reserve-payment'
import { sendUmaRequest } from './send-request'

export type { PayableUmaInvoice } from './pay'
export type { UmaInvoiceCard } from './queries'
export type { RequestProblem } from './request-problem'
export type { UmaRequestCard } from './requests'

/**
 * UMA invoices (UMAD-09) and requests for money (UMAD-11), all that the rest of the process uses of them. With
 * `UMA_INVOICES=off`, the process has none of it and this code is not loaded.
 */
export const umaInvoices = {
  // For the answers to other VASPs.
  findClaim,
  answerRequest,
  // For quotes.
  readUmaInvoice,
  // For the pages of the user who is paid.
  createUmaInvoice,
  sendUmaRequest,
  isPayerAddress,
  requestProblem,
  findUmaInvoice,
  listUmaInvoices,
  uuidIn: (text: string): string | undefined => decodeUmaInvoice(text)?.invoice.uuid,
  // For the pages of the user who is asked to pay.
  listRequests,
  countOpenRequests,
  declineRequest,
} satisfies UmaInvoiceAnswers & Readonly<Record<string, unknown>>

export type UmaInvoices = typeof umaInvoices
