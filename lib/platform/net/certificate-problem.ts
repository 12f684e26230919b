/** Codes of Node and OpenSSL for a certificate that was refused: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const REFUSED =
  /^(?!ERR_SSL_)(?:.*CERT|.*ISSUER|.*LEAF_SIGNATURE|.*_CRL|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/
const OF_ANOTHER_TIME = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']
const OF_ANOTHER_NAME = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH']
/** Errors wrap each other a few times at most. */
const DEEPEST = 5

/**
 * What is wrong with the certificate of a server and what to do, as the end of a sentence; undefined when the connection failed for
 * another reason. Looks through the causes, because `fetch` hides the reason in them. `authorities`: the settings that name trusted
 * authorities.
 */
export function certificateProblem(error: unknown, authorities = 'NODE_EXTRA_CA_CERTS'): string | undefined {
  const code = refusalIn(error, DEEPEST)
  if (code === undefined) return undefined
  if (OF_ANOTHER_TIME.includes(code))
    return `the certificate of the server is not valid now (${code}): renew it, or correct the clock of this machine`
  if (OF_ANOTHER_NAME.includes(code))
    return `the certificate of the server is for another name (${code}): use a name that is in the certificate`
  return `the certificate of the server is not trusted (${code}): name the file with the certificate of its authority in ${authorities}`
}

function refusalIn(error: unknown, deepest: number): string | undefined {
  if (typeof error !== 'object' || error === null || deepest === 0) return undefined
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  return typeof code === 'string' && REFUSED.test(code) ? code : refusalIn(cause, deepest - 1)
}
