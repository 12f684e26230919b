import { spawn, type ChildProcess } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CASES, resolveTarget, runConformance, signInByRecipe } from 'uma-auth-conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeVisitor, type Visited, type Visitor } from '@/sandbox/pairing/visitor'
import { freePort } from '@/test/programs/free-port'
import { copyToPack, install, pack, runIn } from '@/test/programs/packed'
import { runCommand, type Command } from '@/test/stack/command'

// An operator's developer copies the example into an empty folder. It has to install, compile and run there, with the package as
// npm would publish it, behind the gateway of `npm run gateway`.

const PASSWORD = 'of this test'

type Role = 'wallet' | 'merchant'

let folder: string
let example: string
let server: ChildProcess
let gateway: Command
let gatewayRoot: string
let vaspOrigin: string
let shopOrigin: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'express-example-'))
  example = join(folder, 'example')
  mkdirSync(example)
  for (const file of readdirSync('examples/express', { withFileTypes: true }))
    if (file.isFile() && !file.name.endsWith('.tgz'))
      cpSync(join('examples/express', file.name), join(example, file.name))
  pack(copyToPack('uma-auth-vasp', folder), example)
  install(example)

  const [port, gatewayPort, relayPort, shopPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  vaspOrigin = `http://localhost:${port}`
  gatewayRoot = `http://localhost:${gatewayPort}`
  shopOrigin = `http://localhost:${shopPort}`
  const env = { PORT: String(port), GATEWAY_ROOT_URL: gatewayRoot, VASP_PASSWORD: PASSWORD }
  server = spawn(process.execPath, [join(example, 'node_modules/tsx/dist/cli.mjs'), 'server.ts'], {
    cwd: example,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [, args = ''] = await lineOf(server, /npm run gateway -- (.+)/)
  gateway = runCommand(['sandbox/gateway-command/gateway-command.ts', ...args.split(' ')], {
    DATA_DIR: folder,
    RELAY_PORT: String(relayPort),
    APP_PORT: String(shopPort),
  })
  await gateway.says(/Ready\. Ctrl-C stops everything\./)
})

afterAll(async () => {
  gateway?.child.kill('SIGTERM')
  await gateway?.code
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** Waits until a process writes a line that matches. */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolveLine, reject) => {
    let written = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        written += chunk.toString()
        const found = pattern.exec(written)
        if (found !== null) resolveLine(found)
      })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} and wrote:\n${written}`)))
  })
}

/** Value of a hidden field. */
function fieldOf({ text }: Visited, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
}

/** Gives the shop an address and follows its link to the gateway, up to the sign-in page of the VASP or the page after it. */
async function beginToConnect(visitor: Visitor, role: Role, name: string, permissions: object): Promise<Visited> {
  const address = `$${name}@${new URL(vaspOrigin).host}`
  const form = new URLSearchParams({ address, ...permissions })
  const leaving = await visitor.post(`${shopOrigin}/${role}/connect`, form)
  const link = /class="button main" href="([^"]+)"/.exec(leaving.text)?.[1]?.replaceAll('&amp;', '&')
  if (link === undefined) throw new Error(`the shop shows no link to the gateway:\n${leaving.text}`)
  return visitor.get(link)
}

function signIn(visitor: Visitor, page: Visited, name: string, password = PASSWORD): Promise<Visited> {
  const pending = fieldOf(page, 'pending')
  if (pending === '') throw new Error(`this is not the sign-in page: ${page.url}\n${page.text}`)
  return visitor.post(`${vaspOrigin}/sign-in`, new URLSearchParams({ pending, name, password }))
}

/** Sends a request to the connected wallet through the shop. Returns the part of the page with the answer. */
async function ask(visitor: Visitor, role: Role, command: string, fields: object = {}): Promise<string> {
  const { text } = await visitor.post(`${shopOrigin}/${role}/call`, new URLSearchParams({ command, ...fields }))
  const [section = ''] = new RegExp(`<section class="step" id="${command}">[^]*?</section>`).exec(text) ?? []
  expect(section).toContain('Answered')
  return section
}

const approve = (visitor: Visitor, page: Visited, groups: readonly string[]) =>
  visitor.post(
    page.url.replace(/\?.*/, ''),
    new URLSearchParams([
      ['ask', fieldOf(page, 'ask')],
      ['decision', 'connect'],
      ['life', 'none'],
      ...groups.map((group) => ['group', group]),
    ]),
  )

const SHOP_WISH = { required: 'get_info make_invoice lookup_invoice', optional: 'get_balance' }
const CUSTOMER_WISH = { required: 'get_info pay_invoice', optional: 'get_balance lookup_invoice' }

describe('the Express example, copied and installed on its own', () => {
  it('compiles against the packed package', () => {
    runIn(folder, process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', example)
  })

  it('creates its keys at the first start, for its owner only', () => {
    expect(readdirSync(join(example, 'keys')).toSorted()).toEqual(['jwt-private.pem', 'jwt-public.pem'])
    if (process.platform !== 'win32') expect(statSync(join(example, 'keys/jwt-private.pem')).mode & 0o077).toBe(0)
  })

  it('sells a product of the shop from one user to another, and debits a repeated payment once', async () => {
    const [bob, alice] = [makeVisitor(), makeVisitor()]
    const asBob = await signIn(bob, await beginToConnect(bob, 'merchant', 'bob', SHOP_WISH), 'bob')
    expect(await approve(bob, asBob, ['read_balance'])).toMatchObject({ status: 200, url: `${shopOrigin}/merchant` })
    const asAlice = await signIn(alice, await beginToConnect(alice, 'wallet', 'alice', CUSTOMER_WISH), 'alice')
    expect(await approve(alice, asAlice, ['read_balance'])).toMatchObject({ status: 200, url: `${shopOrigin}/wallet` })
    expect(await ask(alice, 'wallet', 'get_balance')).toContain('1,000,000 SAT')

    const order = await alice.post(`${shopOrigin}/orders`, new URLSearchParams({ good: 'thread' }))
    expect((await alice.post(`${order.url}/pay`, new URLSearchParams())).text).toContain('Paid. Thank you')
    expect((await alice.post(`${order.url}/look`, new URLSearchParams())).text).toContain('Paid. Thank you')
    const invoice = /lnbcrt[a-z0-9]+/.exec(order.text)?.[0] ?? ''
    expect(await ask(alice, 'wallet', 'pay_invoice', { invoice })).toMatch(/[0-9a-f]{64}/)

    expect(await ask(alice, 'wallet', 'get_balance')).toContain('999,650 SAT')
    expect(await ask(bob, 'merchant', 'get_balance')).toContain('1,000,350 SAT')
  })

  it('lets the user choose when the app asks for another user', async () => {
    const visitor = makeVisitor()
    await signIn(visitor, await beginToConnect(visitor, 'wallet', 'alice', CUSTOMER_WISH), 'alice')
    const same = await beginToConnect(visitor, 'wallet', 'alice', CUSTOMER_WISH)
    expect(same.text).toContain(`to $alice@${new URL(vaspOrigin).host}`)
    const other = await beginToConnect(visitor, 'wallet', 'bob', CUSTOMER_WISH)
    expect(other.url).toMatch(new RegExp(`^${vaspOrigin}/connect`))
    expect(other.text).toContain('Continue as alice')
    const form = { pending: fieldOf(other, 'pending'), continueAs: 'alice' }
    const chosen = await visitor.post(`${vaspOrigin}/sign-in`, new URLSearchParams(form))
    expect(chosen.text).toContain(`to $alice@${new URL(vaspOrigin).host}`)
  })

  it('refuses a wrong password, and the form of another browser', async () => {
    const visitor = makeVisitor()
    const page = await beginToConnect(visitor, 'wallet', 'alice', CUSTOMER_WISH)
    const wrong = await signIn(visitor, page, 'alice', 'wrong')
    expect(wrong).toMatchObject({ status: 403, url: `${vaspOrigin}/sign-in` })
    expect(wrong.text).toContain('The name or the password is wrong.')
    expect(await signIn(visitor, page, 'mallory')).toMatchObject({ status: 403 })
    const body = new URLSearchParams({ pending: fieldOf(page, 'pending'), name: 'alice', password: PASSWORD })
    for (const Cookie of ['', `express_vasp_session=${'A'.repeat(43)}`]) {
      const response = await fetch(`${vaspOrigin}/sign-in`, {
        method: 'POST',
        body,
        headers: { Cookie },
        redirect: 'manual',
      })
      expect(response.status).toBe(400)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect((await beginToConnect(visitor, 'wallet', 'alice', CUSTOMER_WISH)).url).toMatch(`${vaspOrigin}/connect`)
  })

  it('redirects only to the gateway, creates nothing for HEAD, and shows no stack trace', async () => {
    for (const url of ['https://evil.example/', `${gatewayRoot}@evil.example/`, `${gatewayRoot}.evil.example/`]) {
      const response = await fetch(`${vaspOrigin}/connect?${new URLSearchParams({ redirect_uri: url })}`)
      expect([response.status, await response.text()]).toEqual([400, 'Invalid redirect_uri'])
    }
    const connect = `${vaspOrigin}/connect?${new URLSearchParams({ redirect_uri: `${gatewayRoot}/` })}`
    expect((await fetch(connect, { method: 'HEAD' })).status).toBe(405)
    const page = await fetch(connect)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Lax$/)
    const body = new URLSearchParams({ pending: 'x'.repeat(20_000) })
    const broken = await fetch(`${vaspOrigin}/sign-in`, { method: 'POST', body })
    expect(broken.status).toBe(413)
    expect(await broken.text()).not.toContain('node_modules')
  })

  it('starts a new session at sign-in', async () => {
    const first = await fetch(`${vaspOrigin}/connect?${new URLSearchParams({ redirect_uri: `${gatewayRoot}/` })}`)
    const [cookie = ''] = first.headers.getSetCookie()[0]?.split(';', 1) ?? []
    const pending = /name="pending" value="([^"]+)"/.exec(await first.text())?.[1] ?? ''
    const body = new URLSearchParams({ pending, name: 'carol', password: PASSWORD })
    const post = () =>
      fetch(`${vaspOrigin}/sign-in`, { method: 'POST', body, headers: { Cookie: cookie }, redirect: 'manual' })
    const response = await post()
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(new RegExp(`^${gatewayRoot}/\\?token=`))
    const fresh = response.headers.getSetCookie()[0]?.split(';', 1)[0]
    expect(fresh).not.toBe(cookie)
    const again = await fetch(first.url, { headers: { Cookie: cookie }, redirect: 'manual' })
    expect(again.status).toBe(200)
    const live = await fetch(first.url, { headers: { Cookie: fresh ?? '' }, redirect: 'manual' })
    expect(live.status).toBe(303)
  })

  it('passes every conformance case for what it advertises', async () => {
    const userNamed = (name: string) => ({ steps: [{ fields: { name, password: PASSWORD } }] })
    const { results } = await runConformance({
      target: resolveTarget({
        vasp: vaspOrigin,
        jwtPublicKey: readFileSync(join(example, 'keys/jwt-public.pem'), 'utf8'),
      }),
      cases: CASES,
      signIn: signInByRecipe({ users: [userNamed('alice'), userNamed('bob')] }),
      signingKey: createPrivateKey(readFileSync(join(example, 'keys/jwt-private.pem'))),
      payments: true,
      uma: true,
      paymentSeconds: 30,
    })
    const counts = { pass: 0, fail: 0, 'not-applicable': 0, 'not-run': 0 }
    for (const { status } of results) counts[status] += 1
    const open = results.filter(
      ({ status, reason }) => status === 'fail' || (status === 'not-run' && !/^needs (--|a recipe)/.test(reason)),
    )
    expect(open).toEqual([])
    expect(counts.pass).toBeGreaterThan(150)
  })
})
