import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** A proxy or a tunnel on this machine adds one of these to a request from elsewhere. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|(?:cf|true|fastly)-(?:connecting|client)-ip)$/
/** A proxy passes the public name on. */
const ADDRESS_OR_LOCALHOST = /^(?:localhost|[\d.]+|\[[\da-f:]+\])(?::\d{1,5})?$/i

export type Head = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress' | 'localAddress'>
}

/** Whether a program on this machine or in this container sent the request itself, and no proxy did for somebody else. */
export function isFromOwnMachine({ headers, socket }: Head): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false
  if (!ADDRESS_OR_LOCALHOST.test(headers.host ?? '')) return false
  const { remoteAddress = '', localAddress } = socket
  if (!ipaddr.isValid(remoteAddress)) return false
  return remoteAddress === localAddress || ipaddr.process(remoteAddress).range() === 'loopback'
}
