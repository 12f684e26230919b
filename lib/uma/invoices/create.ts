import { createHash, randomUUID } from 'node:crypto'
import { addressOf } from 'uma-auth-vasp'
import { currencyOf } from '../../money/currencies'
import { formatUnits } from '../../money/format'
import { epochSeconds } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { prismaCall } from '../../platform/db/prisma-call'
import { statement } from '../../platform/db/statement'
import { badInput, isVaspError } from '../../platform/errors'
import { parseAddress } from '../address'
import { requireUma } from '../client/require-uma'
import { findPayableUser, receivingLimits } from '../find-payable-user'
import { MAX_COMMENT_LENGTH } from '../messages/comment'
import { umaInvoiceCallback } from '../server/pay-address'
import type { UmaPorts } from '../types'
import { encodeUmaInvoice } from './codec'
import { MAX_FIELD_BYTES } from './tlv'

export interface NewUmaInvoice {
  readonly username: string
  /** One of the user's currencies. */
  readonly code: string
  /** Smallest units. */
  readonly amount: bigint
  readonly expirySeconds: number
  readonly maxPayments?: number | undefined
  /** The only address that may pay the invoice. */
  readonly sender?: string | undefined
  /**
   * Identifies one submission of a form. Repeated requests with the same id and the same terms create one UMA invoice.
   */
  readonly requestId?: string | undefined
}

export interface CreatedUmaInvoice {
  readonly uuid: string
  /** `uma1…` */
  readonly encoded: string
  readonly expiresAt: Date
  /** False when the same request created it before. */
  readonly isNew: boolean
}

const MAX_UMA_EXPIRY_SECONDS = 30 * 86_400
const MAX_PAYMENTS = 1_000

const INSERT = statement<{ id: bigint }>(
  'insert_uma_invoice',
  `insert into uma_invoices (uuid, user_id, wallet_id, amount, max_payments, sender_address, encoded, expires_at)
         values ($1::uuid, $2, $3, $4, $5, $6, $7, to_timestamp($8::bigint))
         on conflict (uuid) do nothing returning id`,
)
const WITHDRAW = statement(
  'withdraw_uma_invoice',
  `delete from uma_invoices u where u.uuid = $1::uuid and u.user_id = $2
           and not exists (select from uma_pay_requests r where r.uma_invoice_id = u.id)`,
)

/** @throws VaspError 400 for an invalid amount, currency, expiry or address. */
export async function createUmaInvoice(ports: UmaPorts, request: NewUmaInvoice): Promise<CreatedUmaInvoice> {
  const uma = requireUma(ports)
  const { username, amount, expirySeconds, maxPayments = 1 } = request
  const user = await findPayableUser(ports.db, username)
  const wallet = typeof user === 'string' ? undefined : user.wallets.find(({ code }) => code === request.code)
  if (wallet === undefined) throw badInput('This user has no wallet in that currency.')
  const { min, max } = receivingLimits(wallet.code, ports.settings.receiveFeeBps, ports.rates.current().rateOf)
  if (amount < min || amount > max)
    throw badInput('The amount is below the minimum or above the maximum that can be received.')
  if (!Number.isInteger(expirySeconds) || expirySeconds < 60 || expirySeconds > MAX_UMA_EXPIRY_SECONDS)
    throw badInput('A UMA invoice is valid for at least a minute and at most 30 days.')
  if (!Number.isInteger(maxPayments) || maxPayments < 1 || maxPayments > MAX_PAYMENTS)
    throw badInput(`A UMA invoice can be paid between 1 and ${MAX_PAYMENTS} times.`)
  const sender = request.sender === undefined ? undefined : readSender(request.sender)
  const uuid = uuidOf(request, sender)
  const { vaspDomain } = ports.settings
  const expiresAtSeconds = epochSeconds(ports.clock.now()) + expirySeconds
  const { code, name, symbol, decimals } = currencyOf(wallet.code)
  const [receiver, callback] = [addressOf(username, vaspDomain), umaInvoiceCallback(ports.settings, { username, uuid })]
  if ([receiver, callback].some(({ length }) => length > MAX_FIELD_BYTES))
    throw badInput('The address of this VASP is too long for a UMA invoice.')
  const encoded = await encodeUmaInvoice(
    {
      receiver,
      uuid,
      amount,
      currency: { code, name, symbol, decimals },
      expiresAtSeconds,
      isSubjectToTravelRule: true,
      requiredPayerData: { identifier: true, compliance: true, name: false },
      umaVersions: ['0.3', '1.0'],
      commentLength: MAX_COMMENT_LENGTH,
      sender,
      maxPayments,
      kycStatus: 'VERIFIED',
      callback,
    },
    uma.keys.signing,
  )
  const inserted = await ports.db.query(INSERT, [
    uuid,
    username,
    wallet.walletId,
    amount,
    maxPayments,
    sender ?? null,
    encoded,
    expiresAtSeconds,
  ])
  if (inserted.length > 0) {
    ports.events.record({
      kind: 'invoice',
      name: 'UMA invoice created',
      userId: username,
      summary: `${formatUnits(amount, decimals)} ${code}`,
      detail: { facts: { uuid } },
    })
    return { uuid, encoded, expiresAt: new Date(expiresAtSeconds * 1000), isNew: true }
  }
  // Another request with the same id was refused and has withdrawn the invoice, so this request creates it.
  return (await madeBefore(ports.db, uuid, username)) ?? createUmaInvoice(ports, request)
}

/**
 * Derived from the request id, the user and the terms: a form that is sent again with different terms creates a
 * different invoice, and no user receives the invoice of another user.
 */
function uuidOf(
  { requestId, username, code, amount, expirySeconds, maxPayments }: NewUmaInvoice,
  sender?: string,
): string {
  if (requestId === undefined) return randomUUID()
  const named = [requestId, username, code, String(amount), expirySeconds, maxPayments, sender]
  const hex = createHash('sha256').update(JSON.stringify(named)).digest('hex')
  // Version 8 of RFC 9562: the bits are application-defined.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const findUmaInvoice = prismaCall('findUmaInvoice', ({ umaInvoice }, uuid: string, username: string) =>
  umaInvoice.findUnique({ where: { uuid, userId: username }, select: { encoded: true, expiresAt: true } }),
)

async function madeBefore(db: Database, uuid: string, username: string): Promise<CreatedUmaInvoice | undefined> {
  const before = await findUmaInvoice(db, uuid, username)
  return before === null ? undefined : { uuid, ...before, isNew: false }
}

/** Deletes a UMA invoice that was not delivered. A UMA invoice with a Lightning invoice stays. */
export async function withdrawUmaInvoice(db: Database, username: string, uuid: string): Promise<void> {
  await db.query(WITHDRAW, [uuid, username])
}

/** Whether a text is an address that can be asked to pay: a UMA address that fits into a UMA invoice. */
export function isPayerAddress(text: string): boolean {
  try {
    return readSender(text) !== ''
  } catch (error) {
    if (isVaspError(error)) return false
    throw error
  }
}

/** @throws VaspError 400 */
function readSender(text: string): string {
  const address = parseAddress(text)
  if (!address.isUma) throw badInput('Only a UMA address can receive a request: write it as $name@domain.')
  if (address.text.length > MAX_FIELD_BYTES)
    throw badInput(`The address is longer than the ${MAX_FIELD_BYTES} characters that a UMA invoice can hold.`)
  return address.text
}
