import { verifyPayReqSignature } from '@uma-sdk/core'
import { addressOf } from 'uma-auth-vasp'
import { buildFixedRateInvoice, type Lock } from '../../invoices/fixed-rate'
import type { RateTable } from '../../money/currencies'
import { MAX_PAYMENT_MSATS } from '../../money/limits'
import { readBody } from '../../platform/http/read-body'
import { parseAddress, type Address } from '../address'
import { umaFault } from '../fault'
import { minReceivableMsats, receivingLimits, refuseOutOfRange } from '../find-payable-user'
import { NO_NONCES, verifySignature } from '../keys/verify-message'
import { readComment } from '../messages/comment'
import { ownAddressOf } from '../messages/domains'
import { descriptionHash, metadataOf } from '../messages/metadata'
import { readPayMessage, type PayMessage } from '../messages/pay-message'
import type { Nonce } from '../nonces'
import { saveRequestedInvoice } from '../pay-requests'
import type { PaidWallet, PayableUser } from '../payable-user'
import { refuseMissing, refuseUnknownDomain, usernameOf } from './answer-lnurlp'
import { answerPlain } from './answer-plain'
import { isIssuedTo } from './pay-address'
import { signedPart, signedReply } from './pay-reply'
import { payeeDataFor } from './payee-data'
import { openTravelRule } from './travel-rule'
import type { Call, PayableClaim, ServerPorts } from './types'

/** `/uma/pay/{username}`: an invoice for a verified pay request (UMAD-05, UMAD-06), or for a plain one (LUD-06). */
export async function answerPay(ports: ServerPorts, call: Call): Promise<unknown> {
  const { request } = call
  const username = usernameOf(call.rest)
  if (request.method !== 'POST') return answerPlain(ports, username, call)
  const message = readPayMessage(await readBody(request), call.umaInvoice)
  const { payer, nonce } = await verifyPayer(ports, message, { username, mark: call.mark })
  const user = await ports.findRecipient(ports.db, username, nonce)
  refuseMissing(user)
  return answerUma(ports, { message, payer, user }, call)
}

/**
 * Verifies the request with the keys of the domain in the payer's address, so that no VASP can sign for a user of
 * another VASP.
 */
async function verifyPayer(
  ports: ServerPorts,
  message: PayMessage,
  { username, mark }: { readonly username: string; readonly mark: string | undefined },
): Promise<{ readonly payer: Address; readonly nonce: Nonce }> {
  const { identifier, compliance } = message.payerData
  const payer = parseAddress(identifier)
  if (!payer.isUma) throw umaFault('MISSING_MANDATORY_PAYER_DATA', 'The payer’s identifier is not a UMA address.')
  refuseUnknownDomain(ports, payer.domain)
  refuseForeignPayAddress(ports, message, { username, mark, domain: payer.domain })
  const signed = signedPart(message)
  const nonce = await verifySignature(ports, {
    domain: payer.domain,
    nonce: compliance.signatureNonce,
    timestampSeconds: compliance.signatureTimestamp,
    direction: 'incoming',
    holds: (keys) => verifyPayReqSignature(signed, keys, NO_NONCES),
  })
  return { payer, nonce }
}

/**
 * A pay request must be sent to the address that its VASP received in a lookup. A UMA invoice is paid without a lookup,
 * at an address without a mark. @throws UmaFault FORBIDDEN
 */
function refuseForeignPayAddress(
  { uma }: ServerPorts,
  { invoiceUuid }: PayMessage,
  { mark, ...payee }: { readonly mark: string | undefined; readonly username: string; readonly domain: string },
): void {
  if (mark === undefined && invoiceUuid === undefined)
    throw umaFault(
      'FORBIDDEN',
      'A pay request at this address must contain its UMA invoice (invoiceUUID). To pay without one, look up the receiver and use the callback in the answer.',
    )
  if (mark !== undefined && !isIssuedTo(uma.keys, { mark, ...payee }))
    throw umaFault('FORBIDDEN', 'This is not the callback address that the payer’s VASP received in the lookup.')
}

interface VerifiedRequest {
  readonly message: PayMessage
  readonly payer: Address
  readonly user: PayableUser
}

async function answerUma(
  ports: ServerPorts,
  { message, payer, user }: VerifiedRequest,
  { belongsTo }: Pick<Call, 'belongsTo'>,
): Promise<unknown> {
  const { settings, uma, db, rates } = ports
  const { username, wallets } = user
  const { compliance } = message.payerData
  const wallet = wallets.find(({ code }) => code === message.code)
  if (wallet === undefined) throw umaFault('INVALID_CURRENCY', 'This user does not accept that currency.')
  const lock = lockOf(message, wallet, settings.receiveFeeBps, rates.rateOf)
  const comment = readComment(message.comment)
  const address = addressOf(username, settings.vaspDomain)
  const payeeData = payeeDataFor(message.requestedPayeeData, { identifier: address, name: user.displayName })
  const { encryptedTravelRuleInfo: encrypted, travelRuleFormat: format } = compliance
  const travelRule =
    encrypted == null ? undefined : { format: format ?? '', text: openTravelRule(uma.keys.encryption, encrypted) }
  const claim = await claimOf(ports, { message, payer, user }, wallet)
  const text = {
    description: comment,
    descriptionHash: descriptionHash(metadataOf(user, address), message.wirePayerData, message.invoiceUuid),
  }
  const expirySeconds = Math.min(settings.quoteSeconds, claim?.secondsLeft ?? settings.quoteSeconds)
  const made = await buildFixedRateInvoice(ports, {
    ...text,
    wallet,
    rates,
    lock,
    expirySeconds,
    feeBps: settings.receiveFeeBps,
  })
  const callbackId = ports.ids.secret()
  const request = {
    protocol: message.major === 0 ? ('uma-0' as const) : ('uma-1' as const),
    payerAddress: payer.text,
    payerData: storedPayerData(message),
    comment,
    umaInvoiceId: claim?.id,
    callbackId,
    remoteCallback: ownAddressOf(settings, compliance.utxoCallback, payer.domain),
  }
  await saveRequestedInvoice(db, { username, walletId: wallet.walletId, made, ...text, request }, payer.domain)
  belongsTo({ userId: username, paymentHash: made.paymentHash }, travelRule)
  return signedReply(ports, { message, wallet, made, payeeData, address, callbackId })
}

/** The UMA invoice that the request pays; undefined when it names none. @throws UmaFault as `findClaim` does. */
async function claimOf(
  { db, umaInvoices }: ServerPorts,
  { message, payer, user: { username } }: VerifiedRequest,
  wallet: PaidWallet,
): Promise<PayableClaim | undefined> {
  const { invoiceUuid: uuid, amount, isInReceivingCurrency } = message
  if (uuid === undefined) return undefined
  if (umaInvoices === undefined) throw umaFault('INVALID_INVOICE', 'This VASP has no UMA invoices.')
  return umaInvoices.findClaim({ db }, { uuid, amount, isInReceivingCurrency, username, wallet, payer })
}

function lockOf(
  { amount, isInReceivingCurrency }: PayMessage,
  wallet: PaidWallet,
  feeBps: number,
  rates: RateTable,
): Lock {
  if (isInReceivingCurrency) {
    refuseOutOfRange(amount, receivingLimits(wallet.code, feeBps, rates))
    return { side: 'receiving', units: amount }
  }
  refuseOutOfRange(amount, { min: minReceivableMsats([wallet], feeBps, rates), max: MAX_PAYMENT_MSATS })
  return { side: 'sending', msats: amount }
}

/** The payer data that the payee reads beside the address. */
function storedPayerData({ payerData: { name, email } }: PayMessage): Record<string, unknown> {
  return { name, email }
}
