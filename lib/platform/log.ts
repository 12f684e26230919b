import { hostname } from 'node:os'
import pino from 'pino'
import { journalPriority, reachesJournal } from './journal.js'
import { openLogLines } from './log-lines'
import { traceFields } from './trace'
import { withoutSecrets } from './without-secrets'

/** Writes one line: its message, which says what the line is about, and fields of its own. */
/** Without the names that each line has from the log itself: JSON with a name twice is read differently by each reader. */
type Fields = Readonly<Record<string, unknown>> &
  Readonly<Partial<Record<'level' | 'time' | 'name' | 'host' | 'pid' | 'msg', never>>>

interface WriteLine {
  (fields: Fields, message: string): void
  (message: string): void
}

/** The log of a process. Every line has a message, so that each can be found in the tables of docs/operate.md. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', WriteLine>>

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

/**
 * JSON lines on stdout, with the priority in front that journald expects when it is the reader. The stack of an error is
 * written here and is in no answer. A field with a name of the log itself is written with `_` behind it.
 */
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
  const isForJournal = reachesJournal(STDOUT)
  const lines = openLogLines(STDOUT, (dropped) =>
    log.warn({ lines: dropped }, 'log lines were dropped: the reader was too slow'),
  )
  const logMethod: NonNullable<pino.LoggerOptions['hooks']>['logMethod'] = function (args, method, level) {
    method.apply(this, args)
    if (level >= WARNING) lines.flush()
  }
  const destination = {
    [pino.symbols.needsMetadataGsym]: true,
    // Pino sets it before each line.
    lastLevel: 0,
    write(line: string): void {
      lines.write(isForJournal ? `${journalPriority(this.lastLevel)}${line}` : line)
    },
  }
  const log = pino({ ...options, hooks: { logMethod } }, destination)
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
