import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeHandlers } from '@/lib/backend/handlers'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { booksOfPair, makePair, paymentOf, signedRequest, type Pair } from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { makeTestVasp } from '@/test/vasp/vasp'
import { HEADERS } from '../../lightning/simulated-node/signature'
import { makeListener, type Listener } from './http-server'

describeOnTwoDatabases('The Lightning node behind the HTTP server', (payerDb, payeeDb) => {
  let pair: Pair
  let server: Server
  let origin: string
  let answerBy: Listener
  const toNext = vi.fn<Listener>((_request, response) => void response.end('Next'))
  beforeAll(async () => {
    server = createServer((request, response) => void answerBy(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const secretHex = newNodeSecret()
    const env = { LIGHTNING_NODE_KEY: secretHex, VASP_DOMAIN: `localhost:${port}` }
    const vasp = await makeTestVasp(payeeDb(), env)
    origin = vasp.app.settings.publicOrigin
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb(), vasp: { vasp, secretHex } })
    pair.wire = fetch
    answerBy = makeListener(vasp.app, {
      ...makeHandlers({ ...vasp.app, simulatedNode: pair.payee }, vasp.auth),
      rejectionPage: () => undefined,
    })(toNext)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('the node is paid over real HTTP', async () => {
    const payment = await paymentOf(pair)
    expect(await pair.payer.send(payment)).toMatchObject({ kind: 'succeeded' })
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
    const other = await paymentOf(pair)
    expect(await pair.payer.send({ ...other, amountMsats: 1n })).toEqual({ kind: 'failed', failure: 'amount' })
  })

  it("a payer does not follow a redirect from the node's address", async () => {
    const payment = await paymentOf(pair)
    const [usual, elsewhere] = [answerBy, vi.fn()]
    answerBy = (request, response) => {
      if (request.url?.startsWith('/elsewhere') === true) elsewhere()
      response.writeHead(307, { Location: `${origin}/elsewhere` }).end()
    }
    expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
    answerBy = (_request, response) => void response.destroy()
    expect(await pair.payer.track(payment)).toEqual({ kind: 'unknown' })
    answerBy = usual
    expect(elsewhere).not.toHaveBeenCalled()
    expect(await pair.payer.track(payment)).toEqual({ kind: 'failed', failure: 'never-sent' })
  })

  it('the node answers every spelling of its paths itself, with uncacheable JSON, and Next answers none', async () => {
    for (const [path, status, method = 'POST'] of [
      ['/sandbox-ln/v1/pay', 401],
      ['/sandbox-ln/v1/track?x=1', 401],
      ['/sandbox-ln/v1/pay', 405, 'GET'],
      ['/sandbox-ln/v1/pay/', 404],
      ['/sandbox-ln', 404],
      ['/SANDBOX-LN/v1/pay', 404],
      ['//sandbox-ln/v1/pay', 404],
      ['/%73andbox-ln/v1/pay', 404],
    ] as const) {
      const answer = await fetch(`${origin}${path}`, { method })
      expect([answer.status, answer.headers.get('content-type')], path).toEqual([status, 'application/json'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await answer.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    }
    expect(toNext).not.toHaveBeenCalled()
    expect(await (await fetch(`${origin}/login`)).text()).toBe('Next')
  })

  it('the node rejects a body over 16 kB, with and without Content-Length, and serves the next request', async () => {
    const body = 'x'.repeat(20_000)
    const { headers } = signedRequest(pair.payerSecret, { body }, origin)
    const address = `${origin}/sandbox-ln/v1/pay`
    expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(413)
    const chunked = new Blob([body]).stream()
    const init = { method: 'POST', headers, body: chunked, duplex: 'half' } as RequestInit
    expect((await fetch(address, init)).status).toBe(413)
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
  })

  it('the node rejects each of its headers when it is repeated', async () => {
    const statusWith = async (repeated?: string): Promise<number> => {
      const { headers } = signedRequest(pair.payerSecret, { body: '{}' }, origin)
      if (repeated !== undefined) headers.append(repeated, headers.get(repeated) ?? '')
      return (await fetch(`${origin}/sandbox-ln/v1/pay`, { method: 'POST', headers, body: '{}' })).status
    }
    // Signed as it should be, so that each 401 below is due to the repeated header.
    expect(await statusWith()).toBe(400)
    for (const name of Object.values(HEADERS)) expect([name, await statusWith(name)]).toEqual([name, 401])
  })
})
