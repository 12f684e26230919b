import { isVaspError } from '../../platform/errors'
import { isUmaFault } from '../messages/fault'

/**
 * Asks another VASP once more where a nonce had been taken before, with messages that are signed afresh. The SDK's nonces have
 * 32 bits and both sides remember them for minutes, so that by chance alone, at fifty payments a second, one message in some
 * ten thousand meets a nonce that was there already.
 * @param ask makes its own messages. What it asks for may be asked for twice.
 */
export async function againWhereNonceWasUsed<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (!isUsedNonce(error)) throw error
    return ask()
  }
}

/** Ours, as they say, or theirs, as we found. */
function isUsedNonce(error: unknown): boolean {
  return isVaspError(error) && isUmaFault(error.cause) && error.cause.code === 'INVALID_NONCE'
}
