import { isVaspError } from '../../platform/errors'
import { isUmaFault } from '../fault'
import { toVaspError } from './remote-vasp'

/**
 * Sends a request again when its nonce, or that of the answer, was used before. The SDK's nonces have 32 bits and both
 * VASPs remember them for minutes, so at fifty payments a second about one exchange in ten thousand has a nonce that was
 * used before by chance.
 * @param send may run twice, and signs a new message each time.
 */
export async function retryOnUsedNonce<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send()
  } catch (error) {
    if (!isUsedNonce(error)) throw error
    return send()
  }
}

/**
 * Runs work that ends with saving a quote, and runs it again when the nonce of an answer turns out to be used then.
 * @param work may run twice, and sends new requests each time. @throws VaspError for a UmaFault.
 */
export async function retryOnUsedAnswer<Result>(domain: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isUmaFault(error) || error.code !== 'INVALID_NONCE') throw error
  }
  try {
    return await work()
  } catch (error) {
    throw isUmaFault(error) ? toVaspError(domain, error) : error
  }
}

/** True when the other VASP refused this VASP's nonce, or when this VASP refused the nonce of the answer. */
function isUsedNonce(error: unknown): boolean {
  return isVaspError(error) && isUmaFault(error.cause) && error.cause.code === 'INVALID_NONCE'
}
