import { badInput } from '../../platform/errors'
import { isOtherVasp } from '../messages/domains'
import { lookUpLnurl } from './lnurl-receiver'
import { lookUpOwn } from './own-receiver'
import { requireUma } from './require-uma'
import type { LookUp } from './types'
import { lookUpUma } from './uma-receiver'

/** Receivers of this VASP are looked up in process, without a request. */
export const lookUp: LookUp = async (ports, username, address) => {
  const { settings } = ports
  const rates = ports.rates.current()
  if (address.domain === settings.vaspDomain) return lookUpOwn(ports, address, rates)
  if (!isOtherVasp(settings, address.domain))
    throw badInput(`Addresses at ${address.domain} cannot be paid by this VASP.`)
  requireUma(ports)
  const lookUpRemote = address.isUma ? lookUpUma : lookUpLnurl
  return { ...(await lookUpRemote(ports, username, address)), rates }
}
