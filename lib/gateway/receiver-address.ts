import { parseAddress, type Address } from '../uma/address'

/**
 * The address in a path, whose segment was decoded once. A gateway may have encoded it twice; no address has a per cent sign,
 * so another decoding changes nothing that was right.
 * @throws VaspError 400 OTHER for anything that is no address.
 */
export function addressInPath(segment: string): Address {
  return parseAddress(segment.includes('%') ? decoded(segment) : segment)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
