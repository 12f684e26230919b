import { hostname } from 'node:os'
import pino, { type Logger } from 'pino'
import { openLogLines } from './log-lines'
import { traceFields } from './trace'
import { withoutSecrets } from './without-secrets'

export type Log = Logger

/** Fields that carry a secret: tokens, keys, preimages, passwords, cookies. */
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
/** Secret fields are redacted at the top level and two levels down. */
const SECRETS_TO_DEPTH = 2

/** Pino's level for warnings. Warnings and errors are written immediately. */
const WARNING = 40
const STDOUT = 1

/** JSON lines on stdout. The stack of an error is written here and is in no answer. */
export function makeLog(level: string, name: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { name, host: hostname(), pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceFields,
    formatters: { log: (fields) => withoutSecretFields(fields, SECRETS_TO_DEPTH) },
    serializers: { error: serializeError },
  }
  return destination === undefined ? buffered(options) : pino(options, destination)
}

function buffered(options: pino.LoggerOptions): Log {
  const lines = openLogLines(STDOUT, (dropped) =>
    log.warn({ lines: dropped }, 'log lines were dropped: the reader was too slow'),
  )
  const logMethod: NonNullable<pino.LoggerOptions['hooks']>['logMethod'] = function (args, method, level) {
    method.apply(this, args)
    if (level >= WARNING) lines.flush()
  }
  const log = pino({ ...options, hooks: { logMethod } }, lines)
  return log
}

/** Used instead of pino's `redact`, which would search each line for dozens of paths. */
function withoutSecretFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET_FIELDS.has(name)) kept[name] = '[redacted]'
    else kept[name] = depth > 0 && isPlain(value) ? withoutSecretFields(value, depth - 1) : value
  }
  return kept
}

/** Excludes errors, which have their own serializer, and dates, lists and URLs. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

const MAX_TEXT_LENGTH = 2_000

/** The message of an error may quote its input, so tokens and URL passwords are removed from it. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  return {
    type: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ''),
    // Next's digest, which the error page shows as the log reference.
    ...('digest' in error && typeof error.digest === 'string' ? { digest: error.digest } : {}),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  }
}

/** Removes secrets and shortens the text, in this order: a cut could hide the end of a secret from the patterns. */
export function scrub(text: string): string {
  return withoutSecrets(text).slice(0, MAX_TEXT_LENGTH)
}
