import pino, { type Logger } from 'pino'
import { withoutSecrets } from './without-secrets'

export type Log = Logger

/** Whatever carries a secret, at the top and one level down: tokens, keys, preimages, passwords, cookies. */
const SECRET_FIELDS = [
  'authorization',
  'token',
  'cookie',
  'password',
  'passwordHash',
  'preimage',
  'secret',
  'privateKey',
  'redirectUri',
  'databaseUrl',
  'nextAuthSecret',
  'printedPassword',
  'jwtPrivateKeyPem',
  'lightningNodeKeyHex',
  'umaSigningKeyHex',
  'umaEncryptionKeyHex',
]

/** JSON lines on stdout. Errors carry their stack here and nowhere else. */
export function makeLog(level: string, name: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    serializers: { error: serializeError },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

const LONGEST_TEXT = 2_000

/** An error's message may quote what it choked on, so tokens and URL passwords are cut out of it too. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  return {
    type: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ''),
    // The number under which a person sees a page's failure.
    ...('digest' in error && typeof error.digest === 'string' ? { digest: error.digest } : {}),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  }
}

/** Without secrets, and not too long. */
export function scrub(text: string): string {
  return withoutSecrets(text.slice(0, LONGEST_TEXT))
}
