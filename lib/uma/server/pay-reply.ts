import { getPayReqResponse, PayReqResponse, PayRequest } from '@uma-sdk/core'
import type { FixedRateInvoice } from '../../invoices/fixed-rate'
import { toWireInteger } from '../../money/convert'
import { currencyOf, multiplierOf } from '../../money/currencies'
import type { PayMessage } from '../messages/pay-message'
import type { PaidWallet } from '../payable-user'
import type { ServerPorts } from './types'

/** The signed fields of a pay request and their signature, in the SDK's type. */
export function signedPart({ code, major, payerData }: PayMessage): PayRequest {
  const { identifier, compliance } = payerData
  const { kycStatus, signature, signatureNonce, signatureTimestamp } = compliance
  type Compliance = NonNullable<NonNullable<PayRequest['payerData']>['compliance']>
  const signed = { kycStatus, signature, signatureNonce, signatureTimestamp } as Compliance
  return new PayRequest(1, code, code, major, { identifier, compliance: signed })
}

export interface Reply {
  readonly message: PayMessage
  readonly wallet: PaidWallet
  readonly made: FixedRateInvoice
  readonly payeeData: Record<string, string>
  /** The address of the paid user. */
  readonly address: string
  readonly callbackId: string
}

/**
 * The answer to a pay request (UMAD-06), in the request's version. The SDK signs it and rounds its amount to the
 * nearest unit; the amount is then replaced by the promised one.
 */
export async function signedReply(ports: ServerPorts, reply: Reply): Promise<unknown> {
  const { message, wallet, made, payeeData, address, callbackId } = reply
  const signed = await getPayReqResponse({
    request: signedPart(message),
    // The invoice exists already, with its own hash.
    metadata: '[]',
    invoiceCreator: { createUmaInvoice: () => Promise.resolve(made.invoice) },
    conversionRate: multiplierOf(wallet.code, ports.rates.rateOf),
    receivingCurrencyCode: wallet.code,
    receivingCurrencyDecimals: currencyOf(wallet.code).decimals,
    receiverChannelUtxos: [],
    receiverFeesMillisats: toWireInteger(made.fixedCredit.feeMsats),
    receiverNodePubKey: ports.node.identity.publicKeyHex,
    utxoCallback: `${ports.settings.publicOrigin}/uma/callback/${callbackId}`,
    payeeData,
    receivingVaspPrivateKey: ports.uma.keys.signing.secret,
    payeeIdentifier: address,
  })
  const { pr, converted, disposable, successAction, umaMajorVersion } = signed
  const promised = converted === undefined ? undefined : { ...converted, amount: toWireInteger(made.receivingUnits) }
  const whole = new PayReqResponse(pr, signed.payeeData, promised, disposable, successAction, umaMajorVersion)
  const body = whole.toJsonSchemaObject()
  if (message.major === 1) return body
  // Version 0 has the compliance data next to `payeeData`. The Python SDK takes a reply that has them inside `payeeData` for
  // version 1.
  const { compliance: _, ...disclosed } = body.payeeData ?? {}
  return { ...body, payeeData: disclosed }
}
