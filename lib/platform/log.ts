import { hostname } from 'node:os'
import pino, { type Logger } from 'pino'
import { openLogLines } from './log-lines'
import { withoutSecrets } from './without-secrets'

export type Log = Logger

/** Whatever carries a secret: tokens, keys, preimages, passwords, cookies. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
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
])
/** At the top and two levels down. */
const SECRETS_TO_DEPTH = 2

/** A warning or worse does not wait for other lines. */
const WARNING = 40
const STDOUT = 1

/** JSON lines on stdout. Errors carry their stack here and nowhere else. */
export function makeLog(level: string, name: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { name, host: hostname(), pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: (fields) => withoutSecretFields(fields, SECRETS_TO_DEPTH) },
    serializers: { error: serializeError },
  }
  return destination === undefined ? gathering(options) : pino(options, destination)
}

function gathering(options: pino.LoggerOptions): Log {
  const lines = openLogLines(STDOUT, (lost) => log.warn({ lines: lost }, 'lines of this log are lost: nobody read it'))
  const logMethod: NonNullable<pino.LoggerOptions['hooks']>['logMethod'] = function (args, method, level) {
    method.apply(this, args)
    if (level >= WARNING) lines.flush()
  }
  const log = pino({ ...options, hooks: { logMethod } }, lines)
  return log
}

/** By hand, because a request writes a line: the logger's own way looks for forty paths in each. */
function withoutSecretFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET_FIELDS.has(name)) kept[name] = '[redacted]'
    else kept[name] = depth > 0 && isPlain(value) ? withoutSecretFields(value, depth - 1) : value
  }
  return kept
}

/** An error has a serializer of its own; a date, a list and an address are no set of fields. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
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
