import { createAgreedInvoice } from '../invoices/agreed'
import { addressOf } from '../users/address'
import { refuseMissing } from './answer-lnurlp'
import { readComment } from './comment'
import { umaFault } from './fault'
import { descriptionHash, metadataOf } from './metadata'
import { refuseTooManyOpen } from './open-invoices'
import { readAmount } from './pay-message'
import { recordPayRequest } from './pay-requests'
import { MOST_MSATS, findOwnPerson, leastMsats, refuseOutOfRange } from './receivers'
import type { ServerPorts } from './server'

/** LUD-06: an amount in millisatoshis, and an invoice for it. Nobody says who pays, and nothing is signed. */
export async function answerPlain(ports: ServerPorts, username: string, query: URLSearchParams): Promise<unknown> {
  const person = await findOwnPerson(ports.db, username)
  refuseMissing(person)
  const { wallets } = person
  const amount = readAmount(query.get('amount') ?? '')
  if (amount.code !== undefined || query.has('convert'))
    throw umaFault('INVALID_CURRENCY', 'Without the parameters of UMA, amounts are millisatoshis.')
  const wallet = wallets.find(({ code }) => code === 'SAT') ?? wallets[0]
  if (wallet === undefined) throw new Error(`${username} has no wallet`)
  refuseOutOfRange(amount.value, { min: leastMsats([wallet]), max: MOST_MSATS })
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
