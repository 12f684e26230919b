import { decodeJwt } from 'jose'

/** A login token on its way to the gateway. */
export interface IssuedLogin {
  /** The id of the login's grant, which is the `jti` of its token. It is not a secret. */
  readonly id: string
  readonly token: string
  /** The gateway's address with the token: a secret, which is neither stored nor logged. */
  readonly address: string
}

/** The login in the redirect that the protocol package answers; undefined for any other answer. */
export function issuedLogin({ headers }: Response): IssuedLogin | undefined {
  const address = headers.get('Location')
  const token = address === null ? null : new URL(address).searchParams.get('token')
  if (address === null || token === null) return undefined
  return { id: decodeJwt(token).jti ?? '', token, address }
}
