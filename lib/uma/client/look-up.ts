import { badInput } from '../../platform/errors'
import type { Address } from '../address'
import { isOtherVasp } from '../messages/domains'
import type { UmaPorts } from '../types'
import { lookUpLnurl } from './lnurl-receiver'
import { lookUpOwn } from './own-receiver'
import { requireUma } from './require-uma'
import type { LookUp, Receiver } from './types'
import { lookUpUma } from './uma-receiver'

/** Receivers of this VASP are looked up in process, without a request. */
export const lookUp: LookUp = (ports, username, address) => find(ports, username, address, { takesNonce: true })

/** Like `lookUp`, for a quote that is saved at once: the statement that saves it takes the nonce of the answer. */
export const lookUpForQuote: LookUp = (ports, username, address) =>
  find(ports, username, address, { takesNonce: false })

async function find(
  ports: UmaPorts,
  username: string,
  address: Address,
  options: { readonly takesNonce: boolean },
): Promise<Receiver> {
  const { settings } = ports
  const rates = ports.rates.current()
  if (address.domain === settings.vaspDomain) return lookUpOwn(ports, address, rates)
  if (!isOtherVasp(settings, address.domain))
    throw badInput(`Addresses at ${address.domain} cannot be paid by this VASP.`)
  requireUma(ports)
  const lookUpRemote = address.isUma ? lookUpUma : lookUpLnurl
  return { ...(await lookUpRemote(ports, username, address, options)), rates }
}
