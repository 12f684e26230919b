import type { FixedRateInvoice } from '../invoices/fixed-rate'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { umaFault } from './fault'
import { registrableDomain, registrableDomainSql } from './registrable-domain'
import type { Protocol } from './types'

/** The pay request behind an invoice. */
export interface PayRequestRecord {
  readonly protocol: Protocol
  readonly payerAddress?: string | undefined
  readonly payerData?: Readonly<Record<string, unknown>> | undefined
  readonly comment?: string | undefined
  readonly umaInvoiceId?: bigint | undefined
  readonly callbackId?: string | undefined
  readonly remoteCallback?: string | undefined
  /** Set for an unsigned request only. */
  readonly payerNetwork?: string | undefined
}

export interface RequestedInvoice {
  readonly username: string
  readonly walletId: bigint
  readonly made: FixedRateInvoice
  readonly description?: string | undefined
  readonly descriptionHash?: string | undefined
  readonly request: PayRequestRecord
}

interface Outcome {
  readonly outcome: 'created' | 'expired' | 'full' | 'many'
}

const CREATE = `create_requested_invoice($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::bigint), to_timestamp($10::bigint), $11, $12,
                                $13, $14, $15::jsonb, $16, $17, $18, $19, $20, $21)`
const SAVE = statement<Outcome>('create_requested_invoice', `select ${CREATE} as outcome`)
/** Maximum unpaid invoices of one user for one registrable domain, or for the unsigned requests of one client network. */
export const MAX_OPEN_INVOICES = 100
const SAVE_FOR_DOMAIN = statement<Outcome>(
  'create_invoice_for_domain',
  `select case when (${countOpen('$4', `${registrableDomainSql('r.payer_address')} = $22`, MAX_OPEN_INVOICES)}) >= ${MAX_OPEN_INVOICES}
                     then 'many' else ${CREATE} end as outcome`,
)

/**
 * The number of unpaid invoices of a user, counted up to `max`, as an SQL query. Invoices are valid for one hour at most
 * (QUOTE_SECONDS), so older ones are not counted.
 */
export function countOpen(user: string, condition: string, max: number): string {
  return `select count(*)::int as open from (
     select 1 from invoices i join uma_pay_requests r on r.invoice_id = i.id
     where i.user_id = ${user} and i.settled_at is null and i.created_at > now() - interval '1 hour' and i.expires_at > now()
       and ${condition}
     limit ${max}
   ) counted`
}

/**
 * Saves an invoice and its pay request in one statement. For a UMA invoice, it also reserves one of the remaining
 * payments.
 * @param forDomain the domain that asks. The unpaid invoices of a user are limited for each registrable domain separately,
 * so that no domain can prevent another VASP from paying.
 * @throws UmaFault for a UMA invoice that has ended, or whose payments are all made or reserved; 429 for too many unpaid
 * invoices.
 */
export async function saveRequestedInvoice(db: Database, asked: RequestedInvoice, forDomain?: string): Promise<void> {
  const params = paramsOf(asked)
  const [row] =
    forDomain === undefined
      ? await db.query(SAVE, params)
      : await db.query(SAVE_FOR_DOMAIN, [...params, registrableDomain(forDomain)])
  if (row?.outcome === 'many') throw tooManyOpen()
  if (row?.outcome === 'full') throw fullyPaid()
  if (row?.outcome === 'expired') throw ended()
  if (row?.outcome !== 'created') throw new Error('an invoice was not written')
}

function paramsOf({ made, request, ...asked }: RequestedInvoice): unknown[] {
  return [
    made.paymentHash,
    made.preimageHex,
    made.invoice,
    asked.username,
    asked.walletId,
    made.amountMsats,
    asked.description ?? null,
    asked.descriptionHash ?? null,
    made.createdAtSeconds,
    made.expiresAtSeconds,
    made.fixedCredit.credit,
    made.fixedCredit.rateSnapshotId,
    request.protocol,
    request.payerAddress ?? null,
    request.payerData === undefined ? null : JSON.stringify(request.payerData),
    request.comment ?? null,
    request.umaInvoiceId ?? null,
    request.callbackId ?? null,
    request.remoteCallback ?? null,
    request.payerNetwork ?? null,
    made.fixedCredit.feeMsats,
  ]
}

export function tooManyOpen(): Error {
  return umaFault('VELOCITY_LIMIT_EXCEEDED', 'This user has too many unpaid invoices. Try again later.', {
    status: 429,
    headers: { 'Retry-After': '60' },
  })
}

export function fullyPaid(): Error {
  return umaFault('INVALID_INVOICE', 'The UMA invoice has reached its maximum number of payments.')
}

export function ended(): Error {
  return umaFault('INVOICE_EXPIRED', 'The UMA invoice has expired.')
}
