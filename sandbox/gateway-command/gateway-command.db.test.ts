import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from 'uma-auth-vasp/node-http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { describeOnEmbedded } from '@/test/databases/databases'
import { nwcClient } from '@/test/gateway/gateway'
import { freePort } from '@/test/programs/free-port'
import { runCommand, type Command } from '@/test/stack/command'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { makeVisitor } from '../pairing/visitor'
import { isFree, LOOPBACKS } from '../shared/ports'

describeOnEmbedded('npm run gateway in front of a VASP', (db) => {
  let vasp: TestVasp
  let server: Server
  let folder: string
  let command: Command
  let ports: { vasp: number; gateway: number; relay: number; shop: number }
  const at = (port: number): string => `http://localhost:${port}`

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-command-'))
    ports = { vasp: await freePort(), gateway: await freePort(), relay: await freePort(), shop: await freePort() }
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db(), {
      VASP_NAME: 'Harbour bank',
      VASP_DOMAIN: `localhost:${ports.vasp}`,
      GATEWAY_ROOT_URL: at(ports.gateway),
    })
    await seedOpeningBalances(db(), vasp.app.house)
    server = createServer(toNodeHandler(vasp.auth))
    await new Promise<void>((resolve) => server.listen(ports.vasp, 'localhost', resolve))
    const key = join(folder, 'key.pem')
    writeFileSync(key, vasp.pair.publicPem)
    const args = ['sandbox/gateway-command/gateway-command.ts', '--vasp', at(ports.vasp), '--jwt-public-key', key]
    command = runCommand(args, {
      DATA_DIR: folder,
      RELAY_PORT: String(ports.relay),
      APP_PORT: String(ports.shop),
    })
    await command.says(/Ready\. Ctrl-C stops everything\./)
  })
  afterAll(async () => {
    command.child.kill('SIGTERM')
    await command.code
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('prints the address to open, after the values that it runs with', () => {
    const text = command.written()
    expect(text).toMatch(/^ {2}VASP name +discovery document +Harbour bank$/m)
    expect(text).toMatch(new RegExp(`^ {2}JWT audience +default +localhost:${ports.vasp}$`, 'm'))
    expect(text).toContain(`Open     ${at(ports.shop)} `)
    expect(text).toContain(`${at(ports.gateway)} (the gateway`)
  })

  it('pairs an app that reads a balance from that VASP', async () => {
    const visitor = makeVisitor()
    const token = await vasp.loginToken('bob')
    const { currencies } = (await vasp.get('/info', token)).body as { currencies: { currency: unknown }[] }
    const login = new URLSearchParams({ token, currency: JSON.stringify(currencies[0]?.currency) })
    const home = await visitor.get(`${at(ports.gateway)}/auth/vasp_token_callback?${login}`)
    expect(home).toMatchObject({ status: 200, url: `${at(ports.gateway)}/` })
    const form = new URLSearchParams({ name: 'Test app', life: 'none', decision: 'connect', group: 'read_balance' })
    const shown = await visitor.post(`${at(ports.gateway)}/connection/new`, form)
    const uri = /id="pairing">([^<]+)</.exec(shown.text)?.[1]?.replaceAll('&amp;', '&') ?? ''

    const app = await nwcClient(uri)
    expect(await app.call('get_balance')).toMatchObject({ result: { balance: 250_000 } })
    app.close()

    await makeVisitor().post(`${at(ports.shop)}/merchant/paste`, new URLSearchParams({ uri }))
    const own = await (await fetch(`${at(ports.shop)}/-/own-wallet`)).json()
    expect(own).toMatchObject({ connected: true, problem: null, relay: `ws://localhost:${ports.relay}` })
  })

  it('redirects the shop from an address of that VASP to the gateway', async () => {
    const form = new URLSearchParams({ address: `$bob@localhost:${ports.vasp}`, required: 'get_balance' })
    const page = await makeVisitor().post(`${at(ports.shop)}/wallet/connect`, form)
    expect(page.status).toBe(200)
    expect(page.text).toContain(`${at(ports.gateway)}/oauth/auth?`)
  })

  it('keeps its data in a folder of that VASP', () => {
    const own = join(folder, 'gateway-for', `localhost-${ports.vasp}`)
    for (const part of ['gateway', 'relay', 'app']) expect(existsSync(join(own, part)), part).toBe(true)
    expect(readFileSync(join(own, 'gateway', 'state.json'), 'utf8')).toContain('Test app')
  })

  it('stops every process at Ctrl-C', async () => {
    command.child.kill('SIGINT')
    expect(await command.code).toBe(0)
    for (const port of [ports.gateway, ports.relay, ports.shop])
      for (const host of LOOPBACKS) expect(await isFree(port, host)).toBe(true)
  })
})
