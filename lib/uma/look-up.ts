import { badInput } from '../errors'
import type { LookUp } from './counterparty'
import { lookUpOwn } from './own-receiver'

/** Receivers of this VASP are answered in process; no request leaves. */
export const lookUp: LookUp = async (ports, _username, address) => {
  if (address.domain === ports.settings.vaspDomain) return lookUpOwn(ports, address)
  throw badInput(`${address.domain} cannot be paid from here.`)
}
