import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { migratedDataDir } from '../../test/databases/migrated'
import { freePort } from '../../test/programs/free-port'
import { runCommand, type Command } from '../../test/stack/command'
import { expect, revokeAtVasp, signInAtVasp, test } from '../support/fixtures'

// The demo connects the shop's own wallet to Bob when it starts, so that a visitor can buy at once.

let place: Record<string, string> = {}
let demo: Command | undefined

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  const DATA_DIR = await migratedDataDir()
  const ports = ['PORT', 'GATEWAY_PORT', 'RELAY_PORT', 'APP_PORT']
  place = { DATA_DIR }
  for (const name of ports) place[name] = String(await freePort())
})

test.afterAll(async () => {
  demo?.child.kill('SIGKILL')
  await demo?.code
  rmSync(place.DATA_DIR ?? '', { recursive: true, force: true })
})

const shop = (): string => `http://localhost:${place.APP_PORT}`

/** Stops the running demo and starts another. */
async function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
  demo?.child.kill('SIGINT')
  await demo?.code
  demo = runCommand(['sandbox/demo/demo.ts', '--no-southbank', ...args], { ...place, ...env })
  await demo.says(/Ready in/)
  return demo.written()
}

/** Buys as a new visitor; returns the page of the order, or the reason why there is none. */
async function order(): Promise<string> {
  const body = new URLSearchParams({ good: 'thread' })
  const placed = await fetch(`${shop()}/orders`, {
    method: 'POST',
    body,
    headers: { Origin: shop() },
    redirect: 'manual',
  })
  const to = placed.headers.get('location')
  if (to === null) return placed.text()
  const Cookie = placed.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return (await fetch(shop() + to, { headers: { Cookie } })).text()
}

/** Addresses of the simulator's connections, from its file. */
function connections(): string[] {
  const file = join(place.DATA_DIR ?? '', 'gateway', 'state.json')
  const state = JSON.parse(readFileSync(file, 'utf8')) as { connections: { address: string }[] }
  return state.connections.map(({ address }) => address)
}

test('After its first start the shop accepts an order: its own wallet is Bob’s', async () => {
  expect(await start()).toContain(`Connected the shop to the wallet of $bob@localhost:${place.PORT}.`)
  expect(await order()).toContain('lnbcrt')
  expect(connections()).toEqual([`$bob@localhost:${place.PORT}`])
})

test('The next start keeps the connection', async () => {
  expect(await start()).not.toContain('Connected the shop')
  expect(await order()).toContain('lnbcrt')
  expect(connections()).toHaveLength(1)
})

test('A connection that Bob has revoked is replaced at the next start', async ({ page }) => {
  await signInAtVasp(page, 'Bob', `http://localhost:${place.PORT}`)
  await revokeAtVasp(page, `http://localhost:${place.PORT}`)
  // The server restarts below. An open page would refresh itself and report that the server is down.
  await page.goto('about:blank')
  expect(await order()).toContain('No invoice was created')
  expect(await start()).toContain('Connected the shop')
  expect(await order()).toContain('lnbcrt')
  expect(connections()).toHaveLength(2)
})

test('A pairing that fails does not stop the demo, which prints the reason and the fix', async () => {
  const away = { GATEWAY_ROOT_URL: 'http://127.0.0.1:9' }
  const said = await start(['--reset'], away)
  expect(said).toContain('The shop cannot be paid: ')
  expect(said).toContain(`http://127.0.0.1:9 does not answer`)
  expect(said).toContain(`Connect a wallet at ${shop()}/merchant`)
  expect(await order()).toContain('NO_SHOP_WALLET')
})

test('With the user’s own gateway the shop stays unconnected and explains that it needs a wallet', async () => {
  // The shop still has no wallet.
  expect(await start(['--no-gateway'])).not.toContain('The shop')
  expect(await (await fetch(shop())).text()).toContain('The shop needs a wallet before it can sell')
})

test('After a reset the shop is connected again', async () => {
  expect(await start(['--reset'])).toContain('Connected the shop')
  expect(await order()).toContain('lnbcrt')
  expect(connections()).toHaveLength(1)
})
