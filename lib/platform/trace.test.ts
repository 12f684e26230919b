import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeLog } from './log'
import { namePayment, takeRequestId, traced, traceHeaders, tracePayment, untraced } from './trace'

const TRACE = 'a1'.repeat(16)
const PARENT = 'b2'.repeat(8)

interface Seen {
  readonly line: Record<string, unknown>
  readonly sent: string
  readonly requestId: string | undefined
}

/** Returns what one request with these header lines logs and sends. */
async function seenWith(...traceparents: string[]): Promise<Seen> {
  let line = ''
  const log = makeLog('info', 'test', { write: (text) => void (line = text) })
  let seen: Seen | undefined
  const listener = traced(async (_request, response) => {
    await Promise.resolve()
    const requestId = takeRequestId()
    namePayment({ id: 7n, paymentHash: 'hash' })
    log.info('x')
    seen = { line: JSON.parse(line) as Seen['line'], sent: traceHeaders().traceparent ?? '', requestId }
    response.end()
  })
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = httpRequest({ port, host: '127.0.0.1', agent: false })
  if (traceparents.length > 0) sent.setHeader('traceparent', traceparents)
  sent.end()
  await once(sent, 'response')
  if (seen === undefined) throw new Error('the listener did not run')
  return seen
}

describe('the trace of a request', () => {
  it('adds one request id, a trace id and the payment to each line', async () => {
    const { line, requestId, sent } = await seenWith()
    expect(line).toMatchObject({ requestId, payment: '7', paymentHash: 'hash' })
    expect(line.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
    expect(sent).toMatch(new RegExp(`^00-${String(line.traceId)}-[0-9a-f]{16}-00$`))
  })

  it.each(['00', '01'])('continues a valid traceparent with the flags %s, under a new parent id', async (flags) => {
    const { line, sent } = await seenWith(`00-${TRACE}-${PARENT}-${flags}`)
    expect(line.traceId).toBe(TRACE)
    expect(sent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-${flags}$`))
    expect(sent).not.toContain(PARENT)
  })

  it.each([
    ['a longer value', [`00-${TRACE}-${PARENT}-01-${'c'.repeat(1_000)}`]],
    ['upper case', [`00-${TRACE.toUpperCase()}-${PARENT}-01`]],
    ['a zero trace id', [`00-${'0'.repeat(32)}-${PARENT}-01`]],
    ['a zero parent id', [`00-${TRACE}-${'0'.repeat(16)}-01`]],
    ['another version', [`01-${TRACE}-${PARENT}-01`]],
    ['two headers', [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`]],
    ['text', ['"}\u00e4 {"level":60']],
  ])('ignores a traceparent that is not valid: %s', async (_, headers) => {
    const { line, sent } = await seenWith(...headers)
    expect(line.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
    expect(JSON.stringify([line, sent]).toLowerCase()).not.toContain(TRACE)
    expect(JSON.stringify([line, sent])).not.toContain(PARENT)
  })
})

describe('outside a request', () => {
  it('log lines of a payment name the payment but no request', () => {
    let line = ''
    const log = makeLog('info', 'test', { write: (text) => void (line = text) })
    tracePayment({ id: 8n, paymentHash: 'hash' }, () => {
      traceHeaders()
      log.info('x')
      log.info('y')
    })
    expect(JSON.parse(line)).toMatchObject({ payment: '8', paymentHash: 'hash' })
    expect(line).not.toContain('requestId')
    tracePayment({ paymentHash: 'hash' }, () => untraced(() => log.info('x')))
    expect(line).not.toContain('hash')
    expect(traceHeaders()).toEqual({})
  })
})
