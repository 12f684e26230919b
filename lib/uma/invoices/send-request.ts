import { z } from 'zod'
import { isVaspError, remoteFault, VaspError } from '../../platform/errors'
import { parseJson } from '../../platform/parse-json'
import { parseAddress, type Address } from '../address'
import { noSuchReceiver } from '../client/own-receiver'
import { fetchRemote, invalidRemoteResponse } from '../client/remote-vasp'
import { requireUma } from '../client/require-uma'
import { isUmaFault } from '../fault'
import { findPayableUser } from '../find-payable-user'
import type { MessageOwner } from '../message-events'
import { isAddressOf, isOtherVasp, originOf } from '../messages/domains'
import type { UmaPorts } from '../types'
import { decodeUmaInvoice } from './codec'
import { createUmaInvoice, withdrawUmaInvoice, type CreatedUmaInvoice, type NewUmaInvoice } from './create'
import { saveRequest } from './requests'

const Configuration = z.object({ uma_request_endpoint: z.string().max(2_048) })

/**
 * Asks an address to pay (UMAD-11): creates a UMA invoice for that address alone and delivers it to the VASP of the
 * address, whose configuration (UMAD-10) names the endpoint.
 * @throws VaspError 400, 404 or 429 when the request was refused; the invoice is then withdrawn. A request without an
 * answer may still have arrived, so its invoice stays. A retry with the same `requestId` sends the same invoice, which
 * the other VASP stores once.
 */
export async function sendUmaRequest(
  ports: UmaPorts,
  request: NewUmaInvoice & { readonly sender: string },
): Promise<CreatedUmaInvoice> {
  const sender = parseAddress(request.sender)
  const { domain } = sender
  if (domain === ports.settings.vaspDomain) return requestFromOwnUser(ports, request)
  if (!sender.isUma || !isOtherVasp(ports.settings, domain))
    throw remoteFault(
      'closed',
      `This VASP does not connect to ${domain}, so users at ${domain} cannot receive the request.`,
    )
  const owner = { userId: request.username }
  const endpoint = await requestEndpointOf(ports, domain, owner)
  const made = await createUmaInvoice(ports, request)
  return giving(ports, request, made, () => bring(ports, { sender, endpoint, owner }, made.encoded))
}

/** Returns the invoice after delivery, or withdraws it when the delivery was refused. */
async function giving(
  { db }: Pick<UmaPorts, 'db'>,
  { username }: Pick<NewUmaInvoice, 'username'>,
  made: CreatedUmaInvoice,
  give: () => Promise<void>,
): Promise<CreatedUmaInvoice> {
  try {
    await give()
  } catch (error) {
    const isRefused = isVaspError(error) && error.options.theirs !== 'timeout'
    if (made.isNew && isRefused) await withdrawUmaInvoice(db, username, made.uuid)
    throw error
  }
  return made
}

interface Delivery {
  readonly sender: Address
  readonly endpoint: string
  readonly owner: MessageOwner
}

async function bring(ports: UmaPorts, { sender, endpoint, owner }: Delivery, encoded: string): Promise<void> {
  const { text, domain } = sender
  const { status } = await fetchRemote(requireUma(ports).fetch, domain, endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ invoice: encoded }),
    owner,
  }).catch((error: unknown) => {
    // The request was sent, whatever the answer was.
    throw isVaspError(error) && error.options.theirs === 'unusable' ? unsaid(domain, error) : error
  })
  if (status >= 200 && status <= 299) return
  if (status >= 500) throw unsaid(domain)
  if (status === 404) throw noSuchReceiver({ text })
  if (status === 429) throw tooMany(`${domain} accepts no more requests right now. Try again later.`)
  const instead = 'Show a UMA invoice to the payer instead.'
  throw remoteFault('refused', `${domain} refused the request (${status}). ${instead}`)
}

/** The other VASP may have stored the request before it failed. */
function unsaid(domain: string, cause?: unknown): VaspError {
  return remoteFault('timeout', `${domain} did not confirm the request. Send it again: it is stored only once.`, cause)
}

async function requestEndpointOf(ports: UmaPorts, domain: string, owner: MessageOwner): Promise<string> {
  const url = `${originOf(ports.settings, domain)}/.well-known/uma-configuration`
  const answered = await fetchRemote(requireUma(ports).fetch, domain, url, { owner })
  const endpoint = Configuration.safeParse(parseJson(answered.text)).data?.uma_request_endpoint
  if (answered.status !== 200 || endpoint === undefined)
    throw remoteFault('refused', `${domain} accepts no requests. Show a UMA invoice to the payer instead.`)
  if (!isAddressOf(ports.settings, endpoint, domain)) throw invalidRemoteResponse(domain)
  return endpoint
}

/** For a payer of this VASP: no request is sent. */
async function requestFromOwnUser(
  ports: UmaPorts,
  request: NewUmaInvoice & { sender: string },
): Promise<CreatedUmaInvoice> {
  const sender = parseAddress(request.sender)
  const user = await findPayableUser(ports.db, sender.username)
  if (typeof user === 'string') throw noSuchReceiver(sender)
  const made = await createUmaInvoice(ports, request)
  const read = decodeUmaInvoice(made.encoded)
  if (read === undefined) throw new Error('our own UMA invoice cannot be read')
  const kept = { username: user.username, invoice: read.invoice, encoded: made.encoded }
  return giving(ports, request, made, () =>
    saveRequest(ports, kept).catch((error: unknown) => {
      throw isUmaFault(error) ? tooMany(error.message, error) : error
    }),
  )
}

function tooMany(message: string, cause?: unknown): VaspError {
  const headers = isUmaFault(cause) ? cause.headers : { 'Retry-After': '60' }
  return new VaspError(429, 'RATE_LIMITED', message, { cause, headers })
}
