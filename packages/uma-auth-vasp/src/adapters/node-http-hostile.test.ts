import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { readText, type ApiRequest, type ApiResponse } from '../request.ts'
import { toNodeHandler } from './node-http.ts'

let server: Server | undefined
let socket: Socket | undefined
afterEach(() => {
  socket?.destroy()
  server?.closeAllConnections()
  server?.close()
})

/** Sends to a server, and collects what it answers. */
async function open(listener: RequestListener): Promise<{ send: (text: string) => void; received: () => string }> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket = client
  let text = ''
  client.setEncoding('latin1').on('data', (data: string) => (text += data))
  return { send: (more) => void client.write(more, 'latin1'), received: () => text }
}

const vaspThat = (handle: (request: ApiRequest) => Promise<ApiResponse>) => ({
  handle,
  owns: (path: string) => path.startsWith('/umanwc/'),
})
const answer = (text: string): ApiResponse => ({ status: 200, headers: {}, text })
const readsBody = vaspThat((request) =>
  readText(request).then(
    (text) => answer(`read ${text.length}.`),
    (error: Error) => answer(`refused: ${error.message}`),
  ),
)

describe('a VASP on node:http', () => {
  it('answers the next request on a connection after it refused a large body', async () => {
    const { send, received } = await open(toNodeHandler(readsBody))
    const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`
    send('POST /umanwc/v1/invoice HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    send(chunk.repeat(10))
    await expect.poll(received).toContain('refused: The request body is larger than 64 kB.')
    send(chunk.repeat(500))
    send('0\r\n\r\nPOST /umanwc/v1/invoice HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}')
    await expect.poll(received).toContain('read 2.')
  })

  it('answers a request line with an absolute URL, and passes one for another path to next', async () => {
    const handler = toNodeHandler(readsBody)
    const { send, received } = await open((request, response) =>
      handler(request, response, () => void response.end('another page.')),
    )
    send('GET http://bank.example/umanwc/v1/info HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(received).toContain('read 0.')
    send('GET http://bank.example/other?/umanwc/ HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(received).toContain('another page.')
  })

  it('finds a header by its name in any case', async () => {
    const vasp = vaspThat(({ headers }) => Promise.resolve(answer(`from ${headers.get('X-Forwarded-For')}.`)))
    const { send, received } = await open(toNodeHandler(vasp))
    send('GET /umanwc/v1/info HTTP/1.1\r\nHost: x\r\nx-forwarded-FOR: 192.0.2.1\r\n\r\n')
    await expect.poll(received).toContain('from 192.0.2.1.')
  })
})
