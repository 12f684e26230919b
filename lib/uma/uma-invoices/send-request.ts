import { z } from 'zod'
import { VaspError, badInput } from '../../errors'
import { parseAddress } from '../address'
import type { UmaPorts } from '../counterparty'
import { isAddressOf, isOtherVasp, originOf } from '../domains'
import { isUmaFault } from '../fault'
import { requireUma } from '../off'
import { askOther, unusable } from '../other-side'
import { parseJson } from '../../parse-json'
import { findOwnPerson } from '../receivers'
import { noSuchReceiver } from '../own-receiver'
import { createUmaInvoice, type CreatedUmaInvoice, type NewUmaInvoice } from './create'
import { keepRequest } from './requests'
import { decodeUmaInvoice } from './text'

const Configuration = z.object({ uma_request_endpoint: z.string().max(2_048) })

/**
 * Asks somebody to pay (UMAD-11): makes a UMA invoice for that address alone and brings it to its VASP, whose configuration
 * (UMAD-10) names where.
 * @throws VaspError 400 or 404 when it could not be brought; the invoice that was made is void then, since nobody has it.
 */
export async function sendUmaRequest(
  ports: UmaPorts,
  request: NewUmaInvoice & { readonly sender: string },
): Promise<CreatedUmaInvoice> {
  const sender = parseAddress(request.sender)
  const { domain } = sender
  if (domain === ports.settings.vaspDomain) return keepAtHome(ports, request)
  if (!sender.isUma || !isOtherVasp(ports.settings, domain))
    throw badInput(`Nobody at ${domain} can be asked from here.`)
  const endpoint = await requestEndpointOf(ports, domain)
  const made = await createUmaInvoice(ports, request)
  const answered = await askOther(requireUma(ports).fetch, domain, endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ invoice: made.encoded }),
  })
  if (answered.status === 404) throw noSuchReceiver(sender)
  if (answered.status < 200 || answered.status > 299)
    throw badInput(`${domain} did not take the request (${answered.status}). Show the invoice to the payer instead.`)
  return made
}

async function requestEndpointOf(ports: UmaPorts, domain: string): Promise<string> {
  const url = `${originOf(ports.settings, domain)}/.well-known/uma-configuration`
  const answered = await askOther(requireUma(ports).fetch, domain, url)
  const endpoint = Configuration.safeParse(parseJson(answered.text)).data?.uma_request_endpoint
  if (answered.status !== 200 || endpoint === undefined)
    throw badInput(`${domain} takes no requests. Show the invoice to the payer instead.`)
  if (!isAddressOf(ports.settings, endpoint, domain)) throw unusable(domain)
  return endpoint
}

/** Somebody of this VASP: no request leaves. */
async function keepAtHome(ports: UmaPorts, request: NewUmaInvoice & { sender: string }): Promise<CreatedUmaInvoice> {
  const sender = parseAddress(request.sender)
  const person = await findOwnPerson(ports.db, sender.username)
  if (typeof person === 'string') throw noSuchReceiver(sender)
  const made = await createUmaInvoice(ports, request)
  const read = decodeUmaInvoice(made.encoded)
  if (read === undefined) throw new Error('our own UMA invoice cannot be read')
  const kept = { username: person.username, invoice: read.invoice, encoded: made.encoded }
  await keepRequest(ports.db, kept).catch((error: unknown) => {
    throw isUmaFault(error) ? new VaspError(429, 'RATE_LIMITED', error.message, { cause: error }) : error
  })
  return made
}
