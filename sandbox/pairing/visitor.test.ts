import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { makeVisitor } from './visitor'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a visitor', () => {
  it('follows redirects between sites and sends each site only its own cookies', async () => {
    const seen: (readonly [string, IncomingMessage['headers']])[] = []
    const other = await listen((request, response) => {
      seen.push(['other', request.headers])
      response.writeHead(200, { 'Set-Cookie': 'theirs=2; Path=/' }).end('arrived')
    })
    const one = await listen((request, response) => {
      seen.push(['one', request.headers])
      response.writeHead(303, { Location: `${other}/there`, 'Set-Cookie': ['a=1; HttpOnly', 'b=x=y'] }).end()
    })
    const visitor = makeVisitor()
    visitor.keep(one, 'session=s')
    expect(await visitor.get(one)).toEqual({ url: `${other}/there`, status: 200, text: 'arrived' })
    await visitor.post(`${one}/form`, new URLSearchParams({ x: '1' }))
    const cookies = seen.map(([name, { cookie, origin }]) => [name, cookie, origin])
    expect(cookies).toEqual([
      ['one', 'session=s', undefined],
      ['other', undefined, undefined],
      ['one', 'session=s; a=1; b=x=y', one],
      ['other', 'theirs=2', undefined],
    ])
  })

  it('stops at a site that redirects in a loop', async () => {
    const circle = await listen((_, response) => response.writeHead(302, { Location: '/' }).end())
    await expect(makeVisitor().get(circle)).rejects.toThrow('redirects more than')
  })
})
