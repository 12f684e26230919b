import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'playwright/test'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { NO_POSTGRES, startTestPostgres } from '../../test/databases/postgres'
import { startStack } from '../../test/stack/stack'

/** A proxy between a server and its database. Cutting it makes the database unreachable. */
async function startRelay(databaseUrl: string): Promise<{ url: string; cut(): Promise<void> }> {
  const url = new URL(databaseUrl)
  const [port, host] = [Number(url.port), url.hostname]
  const sockets = new Set<Socket>()
  const relay = createServer((from) => {
    const to = connect(port, host)
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    from.pipe(to).pipe(from)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  return {
    url: url.href,
    async cut() {
      const closed = once(relay, 'close')
      relay.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

test('while the database is down, every response is a clear error, and the log has a line for each failure', async ({
  page,
}) => {
  const postgres = await startTestPostgres()
  test.skip(postgres === undefined, NO_POSTGRES)
  if (postgres === undefined) return
  const relay = await startRelay(await postgres.createDatabase())
  const stack = await startStack({ DATABASE_URL: relay.url })
  const { vaspOrigin } = stack
  try {
    const user = {
      vaspOrigin,
      gatewayRootUrl: stack.gatewayOrigin,
      instance: 'northbank',
      username: 'alice',
      password: 'sandbox',
    }
    const cookie = await signIn(user)
    const token = await fetchToken({ ...user, permissions: ['get_info'] })
    await page.goto(`${vaspOrigin}/login`)
    await page.getByText('Sign in with name and password').click()
    await page.getByLabel('User name').fill('alice')
    await page.getByLabel('Password').fill('canary-password')
    let said = ''
    for (const stream of [stack.vasp.child.stdout, stack.vasp.child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await relay.cut()

    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByText('Sign-in is not available right now.')).toBeVisible()
    expect(page.url()).toBe(`${vaspOrigin}/login?error=Unavailable`)

    const get = (path: string, headers: Record<string, string>): Promise<Response> =>
      fetch(`${vaspOrigin}${path}`, { headers, redirect: 'manual' })
    const api = await get('/umanwc/v1/info', { Authorization: `Bearer ${token}` })
    expect([api.status, await api.json()]).toMatchObject([503, { code: 'INTERNAL' }])
    const login = `/connect?redirect_uri=${encodeURIComponent(`${stack.gatewayOrigin}/oauth/auth`)}`
    for (const path of [login, '/connections/fresh']) {
      const response = await get(path, { Cookie: cookie })
      expect([response.status, response.headers.get('retry-after')], path).toEqual([503, '5'])
    }
    for (const path of ['/', '/connections', '/login']) {
      const text = await (await get(path, { Cookie: cookie })).text()
      expect(text, path).not.toMatch(/ECONNREFUSED|prisma|node_modules/i)
    }
    expect((await get('/-/ready', {})).status).toBe(503)
    expect((await get('/-/alive', {})).status).toBe(200)

    const lines = said.trim().split('\n')
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow()
    expect(said).toContain('ECONNREFUSED')
    expect(said).not.toContain('canary-password')
  } finally {
    await stack.stop()
    await postgres.stop()
  }
})
