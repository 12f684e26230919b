import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import bolt11 from 'bolt11'
import { describe, expect, it } from 'vitest'
import { readBolt11, withAmount } from './bolt11.ts'
import { Browser } from './browser.ts'
import { CookieJar } from './cookies.ts'
import { readForms } from './forms.ts'
import { HttpClient, LIMITS } from './http.ts'
import { maskHeader, maskText } from './mask.ts'
import { writtenAsFloat } from './models.ts'
import { doSteps } from './sign-in.ts'
import { resolveTarget } from './target.ts'
import { NotRun } from './verdict.ts'

// The example "1 cup coffee" of BOLT-11.
const COFFEE =
  'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh'

describe('readBolt11', () => {
  it('reads amount, hash, description and expiry', () => {
    expect(readBolt11(COFFEE)).toEqual({
      network: 'bc',
      amountMsats: 250_000_000n,
      createdAtSeconds: 1_496_314_658,
      expirySeconds: 60,
      paymentHash: '0001020304050607080900010203040506070809000102030405060708090102',
      description: '1 cup coffee',
      descriptionHash: undefined,
    })
  })

  it('reads an upper-case invoice, and refuses a changed letter and texts that are not invoices', () => {
    expect(readBolt11(COFFEE.toUpperCase())?.description).toBe('1 cup coffee')
    for (const text of [COFFEE.replace('2500u', '2500m'), COFFEE.slice(0, -1), 'lnbc1', '', 'not an invoice'])
      expect(readBolt11(text)).toBeUndefined()
  })
})

describe('withAmount', () => {
  const NANO = readBolt11(withAmount(COFFEE, 1_000) ?? '')

  it('changes the amount, keeps hash and description, and has a right checksum', () => {
    expect(NANO).toEqual({ ...readBolt11(COFFEE), amountMsats: 1_000n })
    expect(withAmount(COFFEE, 1_000)).not.toContain('2500u')
    expect(readBolt11(withAmount(COFFEE.toUpperCase(), 7_000_000_000) ?? '')?.amountMsats).toBe(7_000_000_000n)
    expect(bolt11.decode(withAmount(COFFEE, 123_000) ?? '').millisatoshis).toBe('123000')
  })

  it('is undefined for other texts', () => {
    expect(withAmount('lnbc1', 1_000)).toBeUndefined()
  })
})

describe('readForms', () => {
  it('keeps hidden values, sends no button by itself, and resolves the address', () => {
    const page = `<form method=post action='/in?a=1&amp;b=2'><input type="hidden" name="csrf" value="a&quot;b&#39;">
      <INPUT name=user><input type=password name="password"><button name="x" value="y">In</button>
      <input type=checkbox name=stay><input type=submit name=go value=go></form>`
    expect(readForms(page, 'https://bank.example/login')).toEqual([
      {
        action: 'https://bank.example/in?a=1&b=2',
        method: 'POST',
        values: { csrf: `a"b'`, user: '', password: '' },
        visible: ['user', 'password', 'x', 'go'],
      },
    ])
  })
})

it('readForms ends an unclosed form and an unclosed field with the page, as browsers do', () => {
  const [form, ...others] = readForms(
    '<form action=/in><input name=user value=a><input name=pin',
    'https://bank.example/',
  )
  expect(form).toMatchObject({ action: 'https://bank.example/in', values: { user: 'a', pin: '' } })
  expect(others).toEqual([])
})

describe('CookieJar', () => {
  it('sends cookies to their host and path, on every port, and forgets expired ones', () => {
    const jar = new CookieJar()
    jar.store('http://localhost:3000/login', ['a=1; HttpOnly', 'b=2; Path=/api', 'c=3; Max-Age=0'])
    expect(jar.headerFor('http://localhost:4000/')).toBe('a=1')
    expect(jar.headerFor('http://localhost:3000/api/x')).toBe('a=1; b=2')
    expect(jar.headerFor('http://localhost:3000/apix')).toBe('a=1')
    expect(jar.headerFor('http://other.example/')).toBeUndefined()
    jar.store('http://localhost:3000/', ['a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
    expect(jar.headerFor('http://localhost:3000/')).toBeUndefined()
  })

  it('sends a cookie with a domain to the hosts below it, and to no others', () => {
    const jar = new CookieJar()
    jar.store('https://login.bank.example/', ['a=1; Domain=bank.example', 'b=2; Domain=other.example'])
    expect(jar.headerFor('https://www.bank.example/')).toBe('a=1')
    expect(jar.headerFor('https://evilbank.example/')).toBeUndefined()
    expect(jar.headerFor('https://login.bank.example/')).toBe('a=1; b=2')
  })
})

describe('masks', () => {
  const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLXRva2Vu'

  it('hides the preimage of a keysend in its record, in either order', () => {
    const preimage = 'c3'.repeat(32)
    for (const record of [
      `{"type":5482373484,"value":"${preimage}"}`,
      `{ "value" : "${preimage}", "type" : "5482373484" }`,
    ]) {
      const masked = maskText(`[{"type":696969,"value":"706f64"},${record}]`, [])
      expect(masked).not.toContain(preimage)
      expect(masked).toContain('706f64')
    }
  })

  it('replace tokens, preimages and given texts', () => {
    const masked = maskText(`{"token":"${TOKEN}","preimage":"abcdef","note":"my password"}`, ['my password'])
    expect(masked).toBe(`{"token":"<token of ${TOKEN.length} characters>","preimage":"<hidden>","note":"<hidden>"}`)
  })

  it('replace opaque tokens, and leave long host names unchanged', () => {
    const masked = maskText(
      'https://gateway-host.example-domain.internal-zone/?token=opaque&a=1 {"token":"opaque"}',
      [],
    )
    expect(masked).toBe('https://gateway-host.example-domain.internal-zone/?token=<hidden>&a=1 {"token":"<hidden>"}')
  })

  it('replace given texts that are encoded as in forms and addresses', () => {
    const secret = 'pass word&ü'
    for (const text of [new URLSearchParams({ password: secret }).toString(), `password=${encodeURIComponent(secret)}`])
      expect(maskText(text, [secret])).toBe('password=<hidden>')
  })

  it('replace the values of credentials in headers', () => {
    expect(maskHeader('Authorization', `Bearer ${TOKEN}`, [])).toBe(
      `Authorization: Bearer <${TOKEN.length} characters>`,
    )
    expect(maskHeader('set-cookie', 'session=abc', [])).toBe('set-cookie: <11 characters>')
    expect(maskHeader('location', `https://gateway.example/?token=${TOKEN}`, [])).not.toContain('eyJ')
  })
})

describe('writtenAsFloat', () => {
  it('names an integer field with a decimal point or an exponent', () => {
    expect(writtenAsFloat('{"amount": 100.0}')).toContain('amount is written as 100.0')
    expect(writtenAsFloat('{"min":1e2}')).toContain('1e2')
    expect(writtenAsFloat('{"amount":100,"multiplier":1.5}')).toBeUndefined()
  })
})

describe('resolveTarget', () => {
  it('reads the Python file of a gateway, and lets flags override it', () => {
    const config = [
      'UMA_VASP_LOGIN_URL = "https://bank.example/login"',
      'VASP_UMA_API_BASE_URL = "https://bank.example/api"',
      'UMA_VASP_TOKEN_EXCHANGE_URL = "https://bank.example/api/exchange"',
      'NWC_APP_ROOT_URL = "https://gateway.example/nwc"',
      'VASP_SUPPORTED_COMMANDS = ["get_info", "get_budget"]',
      'import os',
    ].join('\n')
    expect(resolveTarget({ config, login: 'https://bank.example/other' })).toMatchObject({
      origin: 'https://bank.example',
      api: 'https://bank.example/api',
      login: 'https://bank.example/other',
      exchange: 'https://bank.example/api/exchange',
      audience: 'bank.example',
      commands: ['get_info', 'get_budget'],
      gatewayRoot: new URL('https://gateway.example/nwc'),
    })
  })
})

it('leaves a case out when a page has no form for a step after the sign-in', async () => {
  const server = createServer((_request, response) => response.end('<h1>Account</h1>'))
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}/account`
  const meter = { bytes: 0, answers: 0, nextAt: 0, waitedMs: 0 }
  const client = new HttpClient(LIMITS, meter, new AbortController().signal, [])
  await expect(doSteps(client, new Browser(), [{ url, fields: { end: 'all' } }])).rejects.toThrow(NotRun)
  await expect(doSteps(client, new Browser(), [{ fields: {} }])).rejects.toThrow(NotRun)
  server.close()
})

it('picks the form of a step by the value of a hidden field, which it does not fill in', async () => {
  const sent: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (request.method === 'POST') sent.push(body)
      response.end(`<form method="post" action="/out"><button>Out</button></form>
        <form method="post" action="/out"><input type="hidden" name="who" value="bob"></form>
        <form method="post" action="/out"><input type="hidden" name="who" value="alice"><input type="hidden" name="t" value="1"></form>`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}/account`
  const meter = { bytes: 0, answers: 0, nextAt: 0, waitedMs: 0 }
  const client = new HttpClient(LIMITS, meter, new AbortController().signal, [])
  await doSteps(client, new Browser(), [{ url, form: '/out', fields: { who: 'alice' } }])
  await expect(doSteps(client, new Browser(), [{ url, fields: { who: 'mallory' } }])).rejects.toThrow(NotRun)
  expect(sent).toEqual(['who=alice&t=1'])
  server.close()
})
