import { certificateProblem } from '../net/certificate-problem'
import { startError } from '../start-error'
import { sqlState } from './sql-state'

/** The oldest version whose SQL the migrations use, as `server_version_num`. */
const OLDEST_VERSION = 140_000
const MAX_TEXT = 500

/**
 * The failure of a start because of the database, as one line without the URL, which contains a password. Undefined for an error
 * of another kind, such as a mistake in a statement, whose stack is needed.
 */
export function databaseStartError(error: unknown): Error | undefined {
  const reason = isStartError(error) ? undefined : refusal(error)
  return reason === undefined ? undefined : startError(`DATABASE_URL: ${reason}`, error)
}

/** The same for an attempt to connect: whatever fails there is a matter of the URL or the server. */
export function connectionStartError(error: unknown): Error {
  if (isStartError(error)) return error
  const reason =
    refusal(error) ??
    tlsFailure(error) ??
    `${unreachable(error)}. Correct it, or leave DATABASE_URL out for the embedded database.`
  return startError(`DATABASE_URL: ${reason}`, error)
}

/** @throws Error named StartError for a server that is too old. `versionNum`: its `server_version_num`, such as 130004. */
export function requireVersion(versionNum: number): void {
  if (versionNum >= OLDEST_VERSION) return
  const version = `${Math.floor(versionNum / 10_000)}.${versionNum % 10_000}`
  throw startError(
    `DATABASE_URL: the server has PostgreSQL ${version}, and ${OLDEST_VERSION / 10_000} is the oldest supported version. Upgrade the server.`,
  )
}

function isStartError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'StartError'
}

function refusal(error: unknown): string | undefined {
  const state = sqlState(error)
  if (state === undefined) return undefined
  const said = oneLine((error as Error).message)
  if (state === '42501')
    return `the server refuses this user (${said}). The user must own the database and everything in it: docs/operate.md, "Before the first start".`
  if (/^(08|28|3D)/.test(state))
    return `the server refused the connection (${said}). Correct it. ${tlsHint(said)}`.trim()
  if (/^(53|57|58)/.test(state)) return `the server cannot serve this start (${said}). Start again when it can.`
  return undefined
}

/** The server names the missing encryption in its refusal, in English only. */
function tlsHint(said: string): string {
  return said.includes('no encryption') ? 'If the server requires TLS, add ?sslmode=verify-full.' : ''
}

function tlsFailure(error: unknown): string | undefined {
  const certificate = certificateProblem(error, '?sslrootcert= of the URL, or in NODE_EXTRA_CA_CERTS')
  if (certificate !== undefined) return `${certificate}.`
  const { code, message } = error as NodeJS.ErrnoException
  if (message === 'The server does not support SSL connections')
    return 'the URL asks for TLS, and the server has none. Turn it on at the server, or set ?sslmode=disable where no one else can read the connection.'
  if (message === 'There was an error establishing an SSL connection' || /^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code ?? ''))
    return `TLS with the server failed (${code ?? 'it does not answer with TLS'}). Check ?sslmode and the certificates.`
  return undefined
}

function unreachable(error: unknown): string {
  const { code, syscall, path, message } = error as NodeJS.ErrnoException
  if (syscall === 'open') return `the file ${path ?? ''} cannot be read (${code})`
  if (code === 'ERR_INVALID_URL' || error instanceof URIError) return 'it is not a valid URL'
  if (/^SASL: .*client password/.test(message)) return 'the server asks for a password, and the URL has none'
  if (message === 'Connection terminated unexpectedly') return 'the server closed the connection'
  return typeof code === 'string' ? `no server answers there (${code})` : 'no server answers there'
}

function oneLine(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll(/\s+/g, ' ').trim()
}
