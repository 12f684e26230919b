import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { stopProcess } from '../../sandbox/shared/processes'
import { TOOL_ROUTES } from '../stack/routes'
import { startStack, userOf, type Stack } from '../stack/stack'

const folders: string[] = []
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loaded-files-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Every file that a process has run, from the coverage that Node writes when the process ends. */
function loadedFiles(folder: string): string[] {
  const scripts = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  return [...new Set(scripts)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
}

let stack: Stack
beforeAll(async () => {
  stack = await startStack({}, 'server.js', { alone: true })
})
afterAll(() => stack?.stop())

it('after a restart with SANDBOX_TOOLS=off no route of the tools exists, and stored faults and rates have no effect', async () => {
  const { vaspOrigin } = stack
  const user = userOf(stack)
  const token = await fetchToken({ ...user, permissions: ['get_info'] })
  const call = async () => {
    const response = await fetch(`${vaspOrigin}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })
    return [response.status, response.headers.get('x-sandbox-fault')]
  }
  const Cookie = await signIn(user)
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }
  const added = await fetch(`${vaspOrigin}/sandbox/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie },
    body: JSON.stringify({ connection: jti, kind: 'http_500', calls: 3 }),
  })
  expect(added.status).toBe(201)
  expect(await call()).toEqual([500, 'http_500'])

  const submit = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(vaspOrigin + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie, Origin: vaspOrigin },
      body: new URLSearchParams({ form_user: 'alice', ...fields }).toString(),
      redirect: 'manual',
    })
  const pinned = await submit('/sandbox/rates', { do: 'pin', currency: 'USD', price: '50000' })
  expect(pinned.headers.get('location')).toBe('/sandbox?rate=USD#rates')

  await stack.kill('VASP')
  const loadedWhenOff = emptyFolder()
  const off = await stack.revive('VASP', { SANDBOX_TOOLS: 'off', NODE_V8_COVERAGE: loadedWhenOff })
  expect(await call()).toEqual([200, null])

  // At the listed rate, one dollar is 1,000 satoshis; at the pinned one it would be 2,000.
  const priced = await submit('/wallets/convert/price', { from: 'USD', to: 'SAT', amount: '1' })
  const price = new URL(priced.headers.get('location') ?? '', vaspOrigin).searchParams
  const converted = await submit('/wallets/convert/book', Object.fromEntries(price))
  expect(converted.headers.get('location')).toBe(`/wallets/SAT?converted=${price.get('id')}`)
  expect(await (await fetch(`${vaspOrigin}/wallets/SAT`, { headers: { Cookie } })).text()).toContain(
    'data-live="SAT 301000000"',
  )

  // The session is still valid, so a 404 below does not mean that it is missing.
  expect((await fetch(`${vaspOrigin}/wallets`, { headers: { Cookie }, redirect: 'manual' })).status).toBe(200)
  expect(TOOL_ROUTES.filter(({ methods }) => methods.length === 0)).toEqual([])
  const statuses: string[] = []
  for (const { path, methods } of TOOL_ROUTES)
    for (const method of methods) {
      const isJson = /^\/sandbox\/(users|faults)\b/.test(path)
      const form = new URLSearchParams({ form_user: 'alice', currency: 'USD' }).toString()
      const response = await fetch(vaspOrigin + path.replaceAll(/\[[^\]]+\]/g, '1'), {
        method,
        headers: {
          Cookie,
          Origin: vaspOrigin,
          'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        },
        ...(method === 'POST' && { body: isJson ? '{}' : form }),
        redirect: 'manual',
      })
      statuses.push(`${response.status} ${method} ${path}`)
    }
  expect(statuses.filter((status) => !status.startsWith('404 '))).toEqual([])
  // The list is complete: it has routes of each kind with all their methods.
  for (const known of [
    'POST /sandbox/faults',
    'DELETE /sandbox/users/[username]',
    'GET /developers/errors',
    'GET /events',
  ])
    expect(statuses).toContain(`404 ${known}`)

  await stopProcess(off)
  const loadedWhenOn = emptyFolder()
  const on = await stack.revive('VASP', { NODE_V8_COVERAGE: loadedWhenOn })
  expect(await call()).toEqual([500, 'http_500'])
  await stopProcess(on)
  // The injector adds this header. A process with the tools has loaded it, so the comparison can find it.
  const withInjector = (files: string[]) =>
    files.filter((file) => readFileSync(file, 'utf8').includes('X-Sandbox-Fault'))
  expect(withInjector(loadedFiles(loadedWhenOn))).not.toEqual([])
  expect(loadedFiles(loadedWhenOff).length).toBeGreaterThan(100)
  expect(withInjector(loadedFiles(loadedWhenOff))).toEqual([])
  const withPinnedRates = (files: string[]) => files.filter((file) => readFileSync(file, 'utf8').includes('move_rate'))
  expect(withPinnedRates(loadedFiles(loadedWhenOn))).not.toEqual([])
  expect(withPinnedRates(loadedFiles(loadedWhenOff))).toEqual([])
})
