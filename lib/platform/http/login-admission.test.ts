import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeLoginAdmission } from './login-admission'

const SIGN_IN = '/api/auth/callback/credentials'

type Sent = Pick<IncomingMessage, 'method' | 'url' | 'complete' | 'destroy'> & { complete: boolean; cut: boolean }

function sent(complete: boolean, url = SIGN_IN, method = 'POST'): Sent {
  const request: Sent = {
    method,
    url,
    complete,
    cut: false,
    destroy: () => {
      request.cut = true
      return request as unknown as IncomingMessage
    },
  }
  return request
}

const response = (): ServerResponse => Object.assign(new EventEmitter(), { socket: {} }) as unknown as ServerResponse

describe('login admission', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('admits 32 sign-ins at once, and one more for each one that is answered', () => {
    const admission = makeLoginAdmission()
    const open = Array.from({ length: 32 }, response)
    for (const each of open) expect(admission.admits(sent(true), each)).toBe(true)
    vi.advanceTimersByTime(60_000)
    expect(admission.admits(sent(true, `${SIGN_IN}?x=1`), response())).toBe(false)
    open[0]?.emit('close')
    open[0]?.emit('close')
    expect([admission.admits(sent(true), response()), admission.admits(sent(true), response())]).toEqual([true, false])
  })

  it('admits every other request', () => {
    const admission = makeLoginAdmission()
    for (let count = 0; count < 40; count++) admission.admits(sent(true), response())
    for (const request of [sent(true, '/login', 'GET'), sent(true, '/umanwc/v1/token'), sent(true, '/logout')])
      expect(admission.admits(request, response())).toBe(true)
  })

  it('disconnects the oldest incomplete sign-in rather than rejecting a new one', () => {
    const admission = makeLoginAdmission()
    const slow = Array.from({ length: 32 }, () => sent(false))
    const closings = slow.map((each) => {
      const closing = response()
      admission.admits(each, closing)
      return closing
    })
    // A form that has just begun may still be arriving.
    expect(admission.admits(sent(true), response())).toBe(false)
    vi.advanceTimersByTime(250)
    // One of them finishes its form in the meantime.
    const [finished] = slow
    if (finished !== undefined) finished.complete = true
    for (let count = 0; count < 31; count++) expect(admission.admits(sent(true), response())).toBe(true)
    expect(slow.map(({ cut }) => cut)).toEqual([false, ...Array.from({ length: 31 }, () => true)])
    // A disconnected sign-in frees its slot once.
    for (const closing of closings.slice(1)) closing.emit('close')
    expect(admission.admits(sent(true), response())).toBe(false)
  })
})

describe('login admission on real connections', () => {
  let server: Server
  let port: number
  let begun: number
  const sockets: Socket[] = []

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const admission = makeLoginAdmission()
    begun = 0
    server = createServer((request, answer) => {
      begun += 1
      if (!admission.admits(request, answer)) return answer.writeHead(503).end()
      // A page that never answers, and a form that is answered once it is complete.
      if (request.method === 'GET') return
      return request.resume().on('end', () => answer.end('signed in'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => {
    vi.useRealTimers()
    for (const socket of sockets.splice(0)) socket.destroy()
    server.close()
    server.closeAllConnections()
  })

  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    return socket
  }
  const whole = `POST ${SIGN_IN} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nuser`
  const half = whole.replace('4', '9')
  const signIns = async (count: number): Promise<number[]> => {
    const body = { method: 'POST', body: 'user=alice' }
    const answers = await Promise.all(
      Array.from({ length: count }, () => fetch(`http://127.0.0.1:${port}${SIGN_IN}`, body)),
    )
    return answers.map(({ status }) => status)
  }

  it('admits complete forms while 32 clients never complete theirs', async () => {
    for (let count = 0; count < 32; count++) open().write(half)
    await expect.poll(() => begun).toBe(32)
    vi.advanceTimersByTime(250)
    expect(await signIns(20)).toEqual(Array.from({ length: 20 }, () => 200))
  })

  it('gives no slot to a pipelined sign-in that is lost with its connection', async () => {
    const socket = open()
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${whole.repeat(32)}`)
    await expect.poll(() => begun).toBe(33)
    socket.destroy()
    await once(socket, 'close')
    expect(await signIns(5)).toEqual([200, 200, 200, 200, 200])
  })
})
