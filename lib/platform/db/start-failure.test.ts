import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '@/test/programs/certificate'
import { openPostgres } from './postgres'
import { databaseStartError } from './start-failure'

const folder = mkdtempSync(join(tmpdir(), 'start-failure-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The beginning of a connection to PostgreSQL, as a server hears it. */
type Conversation = (socket: Socket, said: Buffer) => void

async function failureWith(conversation: Conversation, query = ''): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (said: Buffer) => conversation(socket, said))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return failureAt(`postgresql://vasp:hush-hush@127.0.0.1:${(server.address() as AddressInfo).port}/vasp${query}`)
}

/** The one line with which a start at this URL ends. */
async function failureAt(url: string): Promise<string> {
  const error = await openPostgres(url, { log: () => undefined }).then(
    () => new Error('it started'),
    (reason: unknown) => reason as Error,
  )
  expect([error.name, error.message]).toEqual(['StartError', expect.stringMatching(/^DATABASE_URL: [^\n]+\.$/)])
  expect(error.message).not.toContain('hush-hush')
  return error.message
}

/** Answers the request for TLS with a certificate for the name, signed by itself. */
function speaksTls(name: string, ...more: string[]): Conversation {
  const { keyFile, certificateFile } = makeCertificate(folder, name, `DNS:${name}`, more)
  const context = createSecureContext({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) })
  return (socket) => {
    socket.removeAllListeners('data')
    socket.write('S')
    new TLSSocket(socket, { isServer: true, secureContext: context }).on('error', () => undefined)
  }
}

const message = (type: string, ...parts: readonly (number | string)[]): Buffer => {
  const body = Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part) : Buffer.from(Int32Array.of(part).buffer).swap32(),
    ),
  )
  return Buffer.concat([Buffer.from(type), Buffer.from(Int32Array.of(body.length + 4).buffer).swap32(), body])
}
const READY = message('Z', 'I')

/** A server that lets everybody in and answers each query with one number. */
function answers(number: number): Conversation {
  const text = String(number)
  const column = message('T', '\0\u0001version\0', 0, '\0\0', 23, '\0\u0004', -1, '\0\0')
  const row = message('D', '\0\u0001', text.length, text)
  return (socket, said) => {
    if (said[0] === 'Q'.charCodeAt(0)) socket.write(Buffer.concat([column, row, message('C', 'SELECT 1\0'), READY]))
    else if (said[0] === 0) socket.write(Buffer.concat([message('R', 0), READY]))
  }
}

describe('a start says why it cannot use the database', () => {
  it.each([
    [90_624, '9.624'],
    [120_000, '12.0'],
    [130_018, '13.18'],
  ])('a server of version %i', async (number, version) => {
    expect(await failureWith(answers(number))).toContain(`the server has PostgreSQL ${version}, and 14 is the oldest`)
  })

  it('a server without TLS', async () => {
    const said = await failureWith((socket) => socket.write('N'), '?sslmode=require')
    expect(said).toContain('the URL asks for TLS, and the server has none')
  })

  it('a server that is not PostgreSQL', async () => {
    const said = await failureWith((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), '?sslmode=verify-full')
    expect(said).toContain('TLS with the server failed')
    expect(await failureWith((socket) => socket.destroy())).toMatch(
      /server closed the connection|no server answers there/,
    )
  })

  it('a server whose certificate nobody signed, or is for another name', async () => {
    const here = speaksTls('localhost')
    expect(await failureWith(here, '?sslmode=verify-full')).toMatch(
      /certificate of the server is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): .*sslrootcert=.*NODE_EXTRA_CA_CERTS/,
    )
    const there = speaksTls('other.example')
    const trusting = `?sslmode=verify-full&sslrootcert=${join(folder, 'other.example.crt')}`
    expect(await failureWith(there, trusting)).toMatch(/for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/)
  })

  it('a certificate file that is not there', async () => {
    expect(
      await failureAt('postgresql://vasp:hush-hush@127.0.0.1/x?sslmode=verify-full&sslrootcert=/not/there.pem'),
    ).toContain('the file /not/there.pem cannot be read (ENOENT)')
  })

  it.each(['postgresql://vasp:hush-hush@[/x', 'postgresql://vasp:hush-hush@127.0.0.1:port/x'])(
    'the URL %s',
    async (url) => {
      expect(await failureAt(url)).toContain('it is not a valid URL')
    },
  )

  it('a port without a server', async () => {
    expect(await failureAt('postgresql://127.0.0.1:1/nowhere')).toContain('no server answers there (ECONNREFUSED)')
  })

  it.each([
    ['28000', 'no pg_hba.conf entry for host "10.0.0.1", no encryption', /no encryption\).*\?sslmode=verify-full/],
    ['53300', 'sorry, too many clients already', /cannot serve this start \(sorry/],
    ['57P03', 'the database system\n is starting up', /\(the database system is starting up\)/],
    ['42501', 'permission denied for table users', /must own the database/],
  ])('a refusal %s', (code, text, expected) => {
    const refusal = Object.assign(new Error(text), { code, severity: 'FATAL' })
    expect(databaseStartError(new Error('a query failed', { cause: refusal }))?.message).toBeDefined()
    expect(databaseStartError(refusal)?.message).toMatch(expected)
  })

  it('keeps the stack of a mistake in a statement', () => {
    const mistake = Object.assign(new Error('column "x" does not exist'), { code: '42703', severity: 'ERROR' })
    expect(databaseStartError(mistake)).toBeUndefined()
  })
})
