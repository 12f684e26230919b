import { createServer, get, request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

it('browsers use only https for the public name of a sandbox, and may use http at localhost', async ({ skip }) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  const [instancePort, port] = [await freePort(), await freePort()]
  const instance = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => instance.listen(instancePort, '127.0.0.1', resolve))
  const caddy = await startCaddy({ site: `:${port}`, upstreams: [instancePort] })
  try {
    const policyFor = async (host: string): Promise<unknown> =>
      (await headersOf(port, host))['strict-transport-security']
    expect(await policyFor('sandbox.example')).toBe('max-age=31536000')
    expect(await policyFor('localhost')).toBeUndefined()
    expect(await policyFor(`localhost:${port}`)).toBeUndefined()
  } finally {
    await caddy.stop()
    instance.close()
    instance.closeAllConnections()
  }
})

it('the gateway cannot be framed and takes small bodies, and only the relay’s own address is public', async ({ skip }) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  const behind = createServer((request, response) => {
    request.resume().on('end', () => response.end(`answered ${request.url}`)).on('error', () => response.destroy())
  })
  const relay = new WebSocketServer({ server: behind })
  relay.on('connection', (socket) => socket.on('message', (message) => socket.send(message)))
  const [upstream, port] = [await freePort(), await freePort()]
  await new Promise<void>((resolve) => behind.listen(upstream, '127.0.0.1', resolve))
  const name = (host: string): string => `http://${host}.localhost:${port}`
  const caddy = await startCaddy({
    site: `:${port}`,
    upstreams: [upstream],
    gateway: { GATEWAY: { site: name('gateway'), upstream }, RELAY: { site: name('relay'), upstream } },
  })
  try {
    const ask = (host: string, path: string, body?: string): Promise<Answer> =>
      answerTo({ port, path, host: `${host}.localhost`, ...(body === undefined ? {} : { body }) })
    const page = await ask('gateway', '/apps/new?token=secret')
    expect(page).toMatchObject({ status: 200, text: 'answered /apps/new?token=secret' })
    expect(page.headers).toMatchObject({
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
    expect((await ask('gateway', '/api/app', 'x'.repeat(60_000))).status).toBe(200)
    expect((await ask('gateway', '/api/app', 'x'.repeat(70_000))).status).not.toBe(200)
    expect(await ask('relay', '/')).toMatchObject({ status: 200, text: 'answered /' })
    for (const path of ['/metrics', '/join', '/lnbits', '/terms', '/account', '//'])
      expect([path, (await ask('relay', path)).status]).toEqual([path, 404])
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'relay.localhost' } })
    const echoed = new Promise((resolve) => socket.on('message', (message: Buffer) => resolve(message.toString())))
    socket.on('open', () => socket.send('["REQ"]'))
    expect(await echoed).toBe('["REQ"]')
    socket.terminate()
  } finally {
    await caddy.stop()
    relay.close()
    behind.close()
    behind.closeAllConnections()
  }
})

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
interface Question {
  readonly port: number
  readonly host: string
  readonly path: string
  readonly body?: string
}

function answerTo({ port, host, path, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: body === undefined ? 'GET' : 'POST', headers: { host } }
    request(options, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode, headers: response.headers, text: content }),
        reject,
      )
    })
      .on('error', reject)
      .end(body)
  })
}

function headersOf(port: number, host: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume()
      resolve(response.headers)
    }).on('error', reject)
  })
}
