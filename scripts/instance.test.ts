import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { askRunning } from './instance'

const NOBODY = '9'
const SECRET = 'a secret of thirty-two characters'

describe('a command for a running server', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  /** A server that gives this answer to every request, and the requests that it received. */
  async function serve(status: number, body: unknown, host = '127.0.0.1') {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(status).end(JSON.stringify(body))
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    const { port } = server.address() as AddressInfo
    return { asked, port: String(port), origin: `http://${host}:${port}` }
  }

  const ask = (env: Record<string, string>): Promise<unknown> =>
    askRunning({ NEXTAUTH_SECRET: SECRET, ...env }, 'users', { do: 'list' })

  it('asks the port of the server on this machine, whatever its public name resolves to', async () => {
    const [own, proxy] = [await serve(200, 'own'), await serve(200, 'proxy')]
    expect(await ask({ PORT: own.port, NEXTAUTH_URL: proxy.origin })).toBe('own')
    expect([own.asked, proxy.asked]).toEqual([['POST /-/users'], []])
    expect(await ask({ PORT: own.port, NEXTAUTH_URL: 'https://nowhere.invalid' })).toBe('own')
  })

  it('asks the address that the server was told to listen on', async () => {
    const { port } = await serve(200, 'there', '127.0.0.2')
    expect(await ask({ PORT: port, HOST: '127.0.0.2' })).toBe('there')
    expect(await ask({ PORT: port })).toBeUndefined()
    const everywhere = await serve(200, 'everywhere')
    expect(await ask({ PORT: everywhere.port, HOST: '0.0.0.0' })).toBe('everywhere')
  })

  it('asks the public name when no program answers on the port', async () => {
    const { origin } = await serve(200, 'elsewhere')
    expect(await ask({ PORT: NOBODY, NEXTAUTH_URL: origin })).toBe('elsewhere')
    expect(await ask({ PORT: NOBODY, NEXTAUTH_URL: `${origin}/` })).toBe('elsewhere')
  })

  it('asks the public name when the port belongs to another program, and reports that program’s answer when no other server answers', async () => {
    const [stranger, own] = [await serve(404, 'what?'), await serve(200, 'own')]
    expect(await ask({ PORT: stranger.port, NEXTAUTH_URL: own.origin })).toBe('own')
    await expect(ask({ PORT: stranger.port, NEXTAUTH_URL: `http://127.0.0.1:${NOBODY}` })).rejects.toThrow(
      `The server at http://localhost:${stranger.port} answered 404: "what?"`,
    )
  })

  it('does not repeat a request that a server may have started', async () => {
    const [own, proxy] = [await serve(500, 'broken'), await serve(200, 'proxy')]
    await expect(ask({ PORT: own.port, NEXTAUTH_URL: proxy.origin })).rejects.toThrow('answered 500')
    expect(proxy.asked).toEqual([])
  })

  it('finds no running server when no address answers, and asks none without the secret', async () => {
    expect(await ask({ PORT: NOBODY, NEXTAUTH_URL: `http://127.0.0.1:${NOBODY}` })).toBeUndefined()
    const own = await serve(200, 'own')
    expect(await ask({ PORT: own.port, NEXTAUTH_SECRET: '' })).toBeUndefined()
    expect(own.asked).toEqual([])
  })
})
