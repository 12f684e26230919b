import { PayReqResponse, PayRequest, getPayReqResponse, verifyPayReqSignature } from '@uma-sdk/core'
import { readBody } from '../http/read-body'
import { createAgreedInvoice, type AgreedInvoice, type Lock } from '../invoices/agreed'
import { isDescription } from '../invoices/create'
import { toWireInteger } from '../money/convert'
import { currencyOf } from '../money/currencies'
import { limitsOf } from '../money/limits'
import { multiplierOf } from '../money/rates'
import { addressOf } from '../users/address'
import { parseAddress, type Address } from './address'
import { refuseMissing, refuseStranger, usernameOf } from './answer-lnurlp'
import { isAddressOf } from './domains'
import { umaFault } from './fault'
import { descriptionHash, metadataOf } from './metadata'
import { refuseTooManyOpen } from './open-invoices'
import { LONGEST_COMMENT } from './own-receiver'
import { readAmount, readPayMessage, type PayMessage } from './pay-message'
import { recordPayRequest } from './pay-requests'
import { payeeDataFor } from './payee-data'
import { MOST_MSATS, findOwnPerson, leastMsats, type OwnPerson, type PaidWallet } from './receivers'
import type { Call, ServerPorts } from './server'
import { openTravelRule, seal } from './travel-rule'
import { claimUmaInvoice } from './uma-invoices/claim'
import { NO_NONCES, verifyMessage } from './verify'

/** `/uma/pay/{username}`: an invoice for a verified pay request (UMAD-05, UMAD-06), or for a plain one (LUD-06). */
export async function answerPay(ports: ServerPorts, { request, url, rest }: Call): Promise<unknown> {
  const username = usernameOf(rest)
  if (request.method === 'GET') return answerPlain(ports, username, url.searchParams)
  const text = await readBody(request)
  const message = readPayMessage(text)
  const payer = await verifySender(ports, message)
  const person = await findOwnPerson(ports.db, username)
  refuseMissing(person)
  return answerUma(ports, { message, payer, person })
}

/** Keys are those of the domain in the payer's own address, so nobody speaks for a person of somebody else. */
async function verifySender(ports: ServerPorts, message: PayMessage): Promise<Address> {
  const { identifier, compliance } = message.payerData
  const payer = parseAddress(identifier)
  if (!payer.isUma) throw umaFault('MISSING_MANDATORY_PAYER_DATA', 'The payer’s identifier is no UMA address.')
  refuseStranger(ports, payer.domain)
  const signed = new PayRequest(1, message.code, undefined, message.major, {
    identifier,
    compliance: forSdk(compliance),
  })
  await verifyMessage(ports, {
    domain: payer.domain,
    nonce: compliance.signatureNonce,
    timestampSeconds: compliance.signatureTimestamp,
    whose: 'theirs',
    holds: (keys) => verifyPayReqSignature(signed, keys, NO_NONCES),
  })
  return payer
}

type SdkCompliance = NonNullable<NonNullable<PayRequest['payerData']>['compliance']>

/** What the signature covers: the SDK's type wants no nulls. */
function forSdk(compliance: PayMessage['payerData']['compliance']): SdkCompliance {
  const { kycStatus, signature, signatureNonce, signatureTimestamp } = compliance
  return { kycStatus, signature, signatureNonce, signatureTimestamp } as SdkCompliance
}

interface Verified {
  readonly message: PayMessage
  readonly payer: Address
  readonly person: OwnPerson
}

async function answerUma(ports: ServerPorts, { message, payer, person }: Verified): Promise<unknown> {
  const { settings, uma, db } = ports
  const { username, wallets } = person
  const { compliance } = message.payerData
  const wallet = wallets.find(({ code }) => code === message.code)
  if (wallet === undefined) throw umaFault('INVALID_CURRENCY', 'This person does not take that currency.')
  const lock = lockOf(message, wallet)
  const comment = readComment(message.comment)
  const address = addressOf(username, settings.vaspDomain)
  const payeeData = payeeDataFor(message.requestedPayeeData, { identifier: address, name: person.displayName })
  const travelRule =
    compliance.encryptedTravelRuleInfo == null
      ? undefined
      : openTravelRule(uma.keys.encryption, compliance.encryptedTravelRuleInfo, compliance.travelRuleFormat ?? null)
  await refuseTooManyOpen(db, username, payer.domain)
  const claimed = await claimUmaInvoice(ports, { message, username, wallet, payer })
  const made = await createAgreedInvoice(ports, {
    username,
    wallet,
    lock,
    description: comment,
    descriptionHash: descriptionHash(metadataOf(person, address), message.wirePayerData, message.invoiceUuid),
    expirySeconds: Math.min(settings.quoteSeconds, claimed?.secondsLeft ?? settings.quoteSeconds),
  })
  const callbackId = ports.ids.secret()
  await recordPayRequest(db, {
    invoiceId: made.id,
    protocol: message.major === 0 ? 'uma-0' : 'uma-1',
    receiverAddress: address,
    payerAddress: payer.text,
    payerData: keptPayerData(message),
    travelRule: travelRule === undefined ? undefined : seal(uma.keys.encryption, travelRule, made.paymentHash),
    comment,
    umaInvoiceId: claimed?.id,
    callbackId,
    peerCallback: peerCallbackOf(ports, compliance.utxoCallback, payer.domain),
  })
  return signedAnswer(ports, { message, wallet, made, payeeData, address, callbackId })
}

/** @throws UmaFault AMOUNT_OUT_OF_RANGE */
function lockOf({ amount, isInReceivingCurrency }: PayMessage, { code }: PaidWallet): Lock {
  const { min, max } = isInReceivingCurrency
    ? limitsOf(code)
    : { min: leastMsats([{ walletId: 0n, code }]), max: MOST_MSATS }
  if (amount < min || amount > max)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is below the least or above the most that can be received.')
  return isInReceivingCurrency ? { side: 'receiving', units: amount } : { side: 'sending', msats: amount }
}

function readComment(text: string | undefined): string | undefined {
  if (text !== undefined && (text.length > LONGEST_COMMENT || !isDescription(text)))
    throw umaFault('INVALID_INPUT', 'The comment is too long, or cannot be written.')
  return text === '' ? undefined : text
}

/** What we asked for and nothing else; what the law wants to be known is kept apart, sealed. */
function keptPayerData({ payerData }: PayMessage): Record<string, unknown> {
  const { identifier, name, email, compliance } = payerData
  const { kycStatus, nodePubKey, utxos } = compliance
  return { identifier, name, email, kycStatus, nodePubKey, utxos }
}

/** An address outside of the payer's domain is not called, whoever answers there. */
export function peerCallbackOf(
  { settings }: Pick<ServerPorts, 'settings'>,
  address: string | null | undefined,
  domain: string,
): string | undefined {
  return address != null && isAddressOf(settings, address, domain) ? address : undefined
}

interface Made {
  readonly message: PayMessage
  readonly wallet: PaidWallet
  readonly made: AgreedInvoice
  readonly payeeData: Record<string, string>
  readonly address: string
  readonly callbackId: string
}

/** The SDK signs it; its amount, which it rounds to the nearest, is replaced by the one that was promised. */
async function signedAnswer(ports: ServerPorts, made: Made): Promise<unknown> {
  const { message, wallet, payeeData, address, callbackId } = made
  const { code, major, payerData } = message
  const { decimals } = currencyOf(code === wallet.code ? wallet.code : 'SAT')
  const signed = await getPayReqResponse({
    request: new PayRequest(1, code, code, major, {
      identifier: payerData.identifier,
      compliance: forSdk(payerData.compliance),
    }),
    metadata: '[]',
    invoiceCreator: { createUmaInvoice: () => Promise.resolve(made.made.invoice) },
    conversionRate: multiplierOf(wallet.code),
    receivingCurrencyCode: wallet.code,
    receivingCurrencyDecimals: decimals,
    receiverChannelUtxos: [],
    receiverFeesMillisats: 0,
    receiverNodePubKey: ports.node.publicKeyHex,
    utxoCallback: `${ports.settings.publicOrigin}/uma/callback/${callbackId}`,
    payeeData,
    receivingVaspPrivateKey: ports.uma.keys.signing.secret,
    payeeIdentifier: address,
  })
  const { converted, pr, disposable, successAction, umaMajorVersion } = signed
  const amount = toWireInteger(made.made.receivingUnits)
  const promised = converted === undefined ? undefined : { ...converted, amount }
  return new PayReqResponse(
    pr,
    signed.payeeData,
    promised,
    disposable,
    successAction,
    umaMajorVersion,
  ).toJsonSchemaObject()
}

/** LUD-06: an amount in millisatoshis, and an invoice for it. Nobody says who pays. */
async function answerPlain(ports: ServerPorts, username: string, query: URLSearchParams): Promise<unknown> {
  const person = await findOwnPerson(ports.db, username)
  refuseMissing(person)
  const { wallets } = person
  const amount = readAmount(query.get('amount') ?? '')
  if (amount.code !== undefined || query.has('convert'))
    throw umaFault('INVALID_CURRENCY', 'Without the parameters of UMA, amounts are millisatoshis.')
  const wallet = wallets.find(({ code }) => code === 'SAT') ?? wallets[0]
  if (wallet === undefined) throw new Error(`${username} has no wallet`)
  if (amount.value < leastMsats([wallet]) || amount.value > MOST_MSATS)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is below the least or above the most that can be received.')
  const comment = readComment(query.get('comment') ?? undefined)
  await refuseTooManyOpen(ports.db, username, '')
  const address = addressOf(username, ports.settings.vaspDomain)
  const made = await createAgreedInvoice(ports, {
    username,
    wallet,
    lock: { side: 'sending', msats: amount.value },
    description: comment,
    descriptionHash: descriptionHash(metadataOf(person, address.slice(1)), undefined),
    expirySeconds: ports.settings.quoteSeconds,
  })
  await recordPayRequest(ports.db, { invoiceId: made.id, protocol: 'lnurl', receiverAddress: address, comment })
  return { pr: made.invoice, routes: [] }
}
