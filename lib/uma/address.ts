import { badInput } from '../platform/errors'

/** An address that can be paid: a UMA address (`$bob@bank.example`, UMAD-01) or a Lightning Address (LUD-16). */
export interface Address {
  /** In lower case, as it is signed and shown: `$bob@bank.example`. */
  readonly text: string
  readonly username: string
  /** The host, with the port if there is one. */
  readonly domain: string
  /** Whether the address begins with `$`. */
  readonly isUma: boolean
}

const SHAPE = /^(\$?)([a-z0-9._+-]{1,63})@([a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?)$/
/** A DNS name has at most 253 characters, and a port may follow. */
const LONGEST = 64 + 1 + 253 + 6

/**
 * Reads an address. Upper case is converted to lower case: both name the same user, and only one spelling is signed.
 * Does not check whether the domain is allowed.
 * @throws VaspError 400 OTHER for any other text: two `@`, a path, spaces, a trailing dot, other alphabets.
 */
export function parseAddress(input: string): Address {
  const text = input.toLowerCase()
  const parts = input.length > LONGEST ? null : SHAPE.exec(text)
  const [, dollar, username, domain] = parts ?? []
  if (username === undefined || domain === undefined)
    throw badInput('This is not an address: write it as $name@domain or name@domain.')
  return { text, username, domain, isUma: dollar === '$' }
}
