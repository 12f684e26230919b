import type { TokenClaims, Tokens } from '../auth/tokens'
import { VaspError, unauthorized } from '../errors'
import type { ApiRequest } from './message'

/** Exactly one token: two header lines arrive joined by a comma, and are refused with everything else that is odd. */
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/**
 * The claims of the request's bearer token (specification, Authentication 3 and 4).
 * @throws VaspError 401 when the header is missing or the token is not good; 500 when no verification key is configured.
 */
export async function readBearer(request: ApiRequest, tokens: Tokens): Promise<TokenClaims> {
  const header = request.headers.get('authorization')
  if (header === null || header === '') throw unauthorized()
  if (!tokens.canVerify) throw new VaspError(500, 'INTERNAL', 'JWT public key not configured')
  const token = BEARER.exec(header)?.[1]
  const claims = token === undefined ? undefined : await tokens.verify(token)
  if (claims === undefined) throw unauthorized()
  return claims
}
