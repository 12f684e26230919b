import { addressOf } from 'uma-auth-vasp'
import { buildFixedRateInvoice } from '../../invoices/fixed-rate'
import { MAX_PAYMENT_MSATS } from '../../money/limits'
import { networkOf } from '../../platform/http/networks'
import { umaFault } from '../fault'
import { minReceivableMsats, refuseOutOfRange, walletOfPlain } from '../find-payable-user'
import { readComment } from '../messages/comment'
import { descriptionHash, metadataOf } from '../messages/metadata'
import { readAmount } from '../messages/pay-message'
import { saveRequestedInvoice } from '../pay-requests'
import { refuseMissing } from './answer-lnurlp'
import { verifyAddress } from './answer-verify'
import { refuseTooManyUnsigned } from './open-invoices'
import type { Call, ServerPorts } from './types'

/** LUD-06: an invoice for an amount in millisatoshis. The payer is not named, and nothing is signed. */
export async function answerPlain(ports: ServerPorts, username: string, call: Call): Promise<unknown> {
  const { url, client } = call
  const query = url.searchParams
  const names = [...query.keys()]
  if (new Set(names).size !== names.length)
    throw umaFault('PARSE_PAYREQ_REQUEST_ERROR', 'A parameter of the pay request is given more than once.')
  const user = await ports.findRecipient(ports.db, username)
  refuseMissing(user)
  const amount = readAmount(query.get('amount') ?? '')
  if (amount.code !== undefined || (query.get('convert') ?? '') !== '')
    throw umaFault('INVALID_CURRENCY', 'Without the UMA parameters, amounts are in millisatoshis.')
  const wallet = walletOfPlain(user)
  const { receiveFeeBps } = ports.settings
  refuseOutOfRange(amount.value, {
    min: minReceivableMsats([wallet], receiveFeeBps, ports.rates.rateOf),
    max: MAX_PAYMENT_MSATS,
  })
  const comment = readComment(query.get('comment') ?? undefined)
  const payerNetwork = networkOf(client)
  await refuseTooManyUnsigned(ports.db, username, payerNetwork)
  const address = addressOf(username, ports.settings.vaspDomain)
  const text = {
    description: comment,
    descriptionHash: descriptionHash(metadataOf(user, address.slice(1)), undefined),
  }
  const made = await buildFixedRateInvoice(ports, {
    ...text,
    wallet,
    rates: ports.rates,
    lock: { side: 'sending', msats: amount.value },
    expirySeconds: ports.settings.quoteSeconds,
    feeBps: receiveFeeBps,
  })
  await saveRequestedInvoice(ports.db, {
    username: user.username,
    walletId: wallet.walletId,
    made,
    ...text,
    request: { protocol: 'lnurl', comment, payerNetwork },
  })
  call.belongsTo({ userId: user.username, paymentHash: made.paymentHash })
  return { pr: made.invoice, routes: [], verify: verifyAddress(ports.settings, made.paymentHash) }
}
