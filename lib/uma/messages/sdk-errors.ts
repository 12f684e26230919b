import { isUmaFault, UMA_STATUS, umaFault, type UmaCode } from '../fault'

/**
 * Runs a part of the SDK whose errors are sent to the other VASP. The error keeps its code, but its text, which quotes
 * internals, is replaced by `reason`, or by the text in `TEXTS`.
 */
export function fromSdk<Result>(code: UmaCode, reason: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw toFault(error, code, reason)
  }
}

const TEXTS: Partial<Record<UmaCode, string>> = {
  UNSUPPORTED_UMA_VERSION: 'This VASP does not support this version of the protocol.',
  MISSING_REQUIRED_UMA_PARAMETERS: 'Send either all or none of the parameters of the protocol.',
}

function toFault(error: unknown, otherwise: UmaCode, reason: string): Error {
  if (isUmaFault(error)) return error
  const { code: named, supportedMajorVersions } = error as { code?: unknown; supportedMajorVersions?: unknown }
  const code = typeof named === 'string' && named in UMA_STATUS ? (named as UmaCode) : otherwise
  const extras = supportedMajorVersions === undefined ? {} : { supportedMajorVersions }
  return umaFault(code, TEXTS[code] ?? reason, { cause: error, extras })
}
