import { z } from 'zod'
import { parseJson } from '../../platform/parse-json'
import { umaFault } from '../fault'
import { optional } from './unset'

/** At most 15 digits, because JSON readers could lose precision with more. The currency code marks smallest units. */
const AMOUNT = /^([1-9]\d{0,14})(?:\.([A-Z0-9]{2,8}))?$/
const currencyCode = z.string().regex(/^[A-Z0-9]{2,8}$/)
const shortText = z.string().max(500)

const KYC_STATUSES: readonly string[] = ['UNKNOWN', 'NOT_VERIFIED', 'PENDING', 'VERIFIED']

const Compliance = z.object({
  kycStatus: z.string(),
  signature: z.string().regex(/^[0-9a-f]{16,200}$/i),
  signatureNonce: z.string().min(1).max(64),
  signatureTimestamp: z.number(),
  encryptedTravelRuleInfo: optional(z.string()),
  travelRuleFormat: optional(z.string().max(50)),
  utxoCallback: optional(z.string().max(2_048)),
})

const PayerData = z.looseObject({
  identifier: z.string().max(320),
  name: optional(shortText),
  email: optional(shortText),
  compliance: Compliance,
})

const Message = z.object({
  amount: z.union([z.string(), z.number()]).transform(String),
  convert: optional(currencyCode),
  currency: optional(currencyCode),
  payerData: PayerData,
  payeeData: optional(z.record(z.string().max(100), z.object({ mandatory: z.boolean() }))),
  comment: optional(z.string()),
  invoiceUUID: optional(z.uuid()),
  settlement: optional(z.unknown()),
})
/** The default settlement. */
const DefaultSettlement = z.object({ layer: z.literal('ln'), assetIdentifier: z.literal('BTC') })

/** A pay request from another VASP, in the terms of version 1 (UMAD-05). Nothing in it is verified yet. */
export interface PayMessage {
  readonly major: 0 | 1
  readonly amount: bigint
  /** Whether the amount is in the receiver's currency; otherwise it is in millisatoshis. */
  readonly isInReceivingCurrency: boolean
  readonly code: string
  readonly payerData: z.infer<typeof PayerData>
  /** As received: the invoice commits to it. */
  readonly wirePayerData: unknown
  readonly requestedPayeeData: Readonly<Record<string, { readonly mandatory: boolean }>>
  readonly comment: string | undefined
  readonly invoiceUuid: string | undefined
}

/**
 * Reads the body of a pay request, and the UUID of the UMA invoice that it pays, which the URL or the body may contain.
 * The amount is read here, because the SDK accepts `-5`, `1e3` and `5.5`, and reads the amounts of version 0 as
 * millisatoshis.
 * @throws UmaFault PARSE_PAYREQ_REQUEST_ERROR, MISSING_MANDATORY_PAYER_DATA, AMOUNT_OUT_OF_RANGE, INVALID_CURRENCY,
 * INVALID_INPUT or INVALID_INVOICE.
 */
export function readPayMessage(text: string, umaInvoice?: string): PayMessage {
  const json = parseJson(text)
  const parsed = Message.safeParse(json)
  if (!parsed.success) throw badMessage(parsed.error)
  const message = parsed.data
  if (!KYC_STATUSES.includes(message.payerData.compliance.kycStatus))
    throw umaFault('PARSE_PAYREQ_REQUEST_ERROR', `The kycStatus is not one of ${KYC_STATUSES.join(', ')}.`)
  if (message.settlement != null && !DefaultSettlement.safeParse(message.settlement).success)
    throw umaFault('INVALID_INPUT', 'The chosen settlement layer was not offered.')
  const invoiceUuid = message.invoiceUUID?.toLowerCase() ?? umaInvoice
  if (umaInvoice !== undefined && invoiceUuid !== umaInvoice)
    throw umaFault(
      'INVALID_INVOICE',
      'The invoiceUUID in the body and the UMA invoice in the address are not the same.',
    )
  const major = message.convert == null && message.currency != null ? 0 : 1
  const code = message.convert ?? message.currency
  if (code == null) throw umaFault('INVALID_CURRENCY', 'The request has no currency.')
  const amount = readAmount(message.amount)
  if (amount.code !== undefined && (major === 0 || amount.code !== code))
    throw umaFault('INVALID_CURRENCY', 'The currency of the amount is not the receiving currency.')
  return {
    major,
    amount: amount.value,
    // Version 0 has amounts in the receiving currency only.
    isInReceivingCurrency: major === 0 || amount.code !== undefined,
    code,
    payerData: message.payerData,
    wirePayerData: (json as { payerData: unknown }).payerData,
    requestedPayeeData: message.payeeData ?? {},
    comment: message.comment ?? undefined,
    invoiceUuid,
  }
}

/**
 * @throws UmaFault AMOUNT_OUT_OF_RANGE for anything but a positive whole number, optionally followed by a point and a
 * currency code.
 */
export function readAmount(text: string): { readonly value: bigint; readonly code: string | undefined } {
  const [, digits, code] = AMOUNT.exec(text) ?? []
  if (digits === undefined) throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is not a positive whole number.')
  return { value: BigInt(digits), code }
}

function badMessage(error: z.ZodError): Error {
  const [field, inner] = error.issues[0]?.path ?? []
  if (field === 'payerData' && (inner === undefined || inner === 'identifier' || inner === 'compliance'))
    return umaFault('MISSING_MANDATORY_PAYER_DATA', 'The identifier and the compliance data of the payer are required.')
  if (field === 'convert' || field === 'currency')
    return umaFault('INVALID_CURRENCY', 'The currency code is not valid.')
  return umaFault('PARSE_PAYREQ_REQUEST_ERROR', 'The pay request is not valid.')
}
