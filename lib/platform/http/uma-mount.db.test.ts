import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type TwoVasps } from '@/test/uma/two-vasps'
import { newUser } from '@/test/vasp/money'

describeOnTwoDatabases('Requests from other VASPs, behind the HTTP server', (northDb, southDb) => {
  let both: TwoVasps
  let origin: string
  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ origin } = both.north)
  })
  afterAll(() => both.stop())

  test("the UMA endpoints answer every spelling of their paths themselves, in the protocol's format", async () => {
    const bob = await newUser(both.north, { SAT: 0n })
    for (const [path, status, method = 'GET'] of [
      [`/.well-known/lnurlp/${bob}`, 200],
      [`/.well-known/lnurlp/${bob}/`, 404],
      [`/.well-known//lnurlp/${bob}`, 404],
      [`/%2ewell-known/lnurlp/${bob}`, 404],
      [`/.WELL-KNOWN/lnurlp/${bob}`, 404],
      ['/.well-known/lnurlp', 404],
      ['/.well-known/lnurlpubkey', 200],
      ['/.well-known/lnurlpubkey', 405, 'POST'],
      ['/uma/pay/nobody', 404],
      [`/uma/pay/${bob}?amount=5000`, 200],
      [`/uma/pay/${bob}`, 400, 'POST'],
      ['/uma/request', 405],
      ['/uma/request', 400, 'POST'],
      ['/uma/callback/x', 400, 'POST'],
      ['/uma', 404],
      ['//uma/request', 404, 'POST'],
      ['/x/../uma/request', 400, 'POST'],
    ] as const) {
      const answer = await fetch(`${origin}${path}`, { method })
      expect([answer.status, answer.headers.get('content-type')], path).toEqual([status, 'application/json'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      if (status !== 200)
        expect(await answer.json(), path).toMatchObject({
          status: 'ERROR',
          reason: expect.any(String),
          code: expect.any(String),
        })
    }
  })

  test('the UMA endpoints answer HEAD as GET, without a body', async () => {
    const bob = await newUser(both.north, { SAT: 0n })
    for (const path of [
      `/.well-known/lnurlp/${bob}`,
      '/.well-known/lnurlpubkey',
      `/uma/pay/${bob}?amount=5000`,
      `/uma/pay/${bob}?amount=0`,
      '/uma/verify/none',
    ]) {
      const [got, head] = [await fetch(`${origin}${path}`), await fetch(`${origin}${path}`, { method: 'HEAD' })]
      expect([head.status, await head.text()], path).toEqual([got.status, ''])
      expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'))
      await got.text()
    }
    expect((await fetch(`${origin}/uma/request`, { method: 'HEAD' })).status).toBe(405)
  })

  test('the UMA endpoints answer requests for missing documents from any origin, with a short 404 and no cookie', async () => {
    for (const path of [
      '/.well-known/keysend/bob',
      '/.well-known/nostr.json?name=bob',
      '/.well-known/uma-configuration/',
      '/.WELL-KNOWN/uma-configuration',
      '/%2ewell-known/keysend/bob',
      '/.well-known/',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const answer = await fetch(`${origin}${path}`, { method })
        expect([answer.status, answer.headers.get('content-type')], path).toEqual([404, 'application/json'])
        expect(answer.headers.get('access-control-allow-origin'), path).toBe('*')
        expect(answer.headers.get('set-cookie'), path).toBeNull()
        const body = await answer.text()
        if (method === 'HEAD') expect(body).toBe('')
        else expect(JSON.parse(body)).toMatchObject({ status: 'ERROR', code: 'REQUEST_NOT_FOUND' })
      }
      const preflight = await fetch(`${origin}${path}`, { method: 'OPTIONS' })
      expect([preflight.status, await preflight.text()], path).toEqual([204, ''])
    }
    expect((await fetch(`${origin}/.well-known/uma-configuration`)).status).toBe(200)
  })

  test('the documents have the base headers, and HEAD has the headers of GET', async () => {
    for (const path of ['/.well-known/uma-configuration', '/openapi.json']) {
      const answers = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${origin}${path}`, { method })))
      // The client closes its connection after HEAD.
      const ofConnection = ['connection', 'date', 'keep-alive']
      const [got, head] = answers.map(({ headers }) => [...headers].filter(([name]) => !ofConnection.includes(name)))
      expect(head, path).toEqual(got)
      expect(got, path).toEqual(
        expect.arrayContaining([
          ['access-control-allow-origin', '*'],
          ['content-type', 'application/json'],
          ['x-content-type-options', 'nosniff'],
          ['x-frame-options', 'DENY'],
          ['content-security-policy', expect.stringContaining("frame-ancestors 'none'")],
        ]),
      )
      const [document, nothing] = await Promise.all(answers.map((each) => each.text()))
      expect([Object.keys(JSON.parse(document ?? '') as object).length > 3, nothing], path).toEqual([true, ''])
      const preflight = await fetch(`${origin}${path}`, { method: 'OPTIONS' })
      expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET'])
    }
    const { headers } = await fetch(`${origin}/openapi.json`)
    expect(headers.get('content-encoding')).toBe('gzip')
    const again = await fetch(`${origin}/openapi.json`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test("the UMA endpoints answer a browser's preflight: any origin may GET with any header", async () => {
    for (const path of ['/.well-known/lnurlp/bob', '/uma/pay/bob?amount=5000', '/.well-known/nostr.json']) {
      const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
      const answer = await fetch(`${origin}${path}`, { method: 'OPTIONS', headers })
      expect(answer.status, path).toBe(204)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET')
      expect(answer.headers.get('access-control-allow-headers')).toBe('*')
    }
  })

  test('the UMA endpoints accept a body of at most 64 kB, with and without Content-Length', async () => {
    const body = 'x'.repeat(70_000)
    expect((await fetch(`${origin}/uma/pay/bob`, { method: 'POST', body })).status).toBe(413)
    const init = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit
    expect((await fetch(`${origin}/uma/pay/bob`, init)).status).toBe(413)
  })
})
