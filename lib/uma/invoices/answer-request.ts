import { z } from 'zod'
import { readBody } from '../../platform/http/read-body'
import { parseJson } from '../../platform/parse-json'
import { parseAddress } from '../address'
import { umaFault } from '../fault'
import { findPayableUser } from '../find-payable-user'
import { refuseMissing } from '../server/answer-lnurlp'
import type { Call, ServerPorts } from '../server/types'
import { checkUmaInvoice } from './check'
import { saveRequest } from './requests'

const MAX_BYTES = 8 * 1024
const Message = z.object({ invoice: z.string().max(2_100) })

/**
 * `POST /uma/request` (UMAD-11): a UMA invoice that a user of this VASP is asked to pay. It is shown to the user;
 * nothing is paid.
 */
export async function answerRequest(ports: ServerPorts, { request, belongsTo }: Call): Promise<unknown> {
  const message = Message.safeParse(parseJson(await readBody(request, MAX_BYTES))).data
  if (message === undefined) throw umaFault('INVALID_REQUEST_FORMAT', 'The request is not valid.')
  const { vaspDomain } = ports.settings
  const { invoice } = await checkUmaInvoice(ports, message.invoice, 'incoming')
  const sender = invoice.sender === undefined ? undefined : parseAddress(invoice.sender)
  if (sender === undefined || !sender.isUma || sender.domain !== vaspDomain)
    throw umaFault('INVALID_INPUT', 'The UMA invoice does not name a payer of this VASP.')
  const user = await findPayableUser(ports.db, sender.username)
  refuseMissing(user)
  await saveRequest(ports, { username: user.username, invoice, encoded: message.invoice })
  belongsTo({ userId: user.username })
  return { status: 'OK' }
}
