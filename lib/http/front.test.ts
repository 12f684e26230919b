import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Deps } from '../deps'
import type { Api } from '../gateway/api'
import { makeLog } from '../log'
import { loadSettings } from '../settings'
import { makeFront } from './front'

function listen(env: Readonly<Record<string, string>>): Promise<unknown> {
  const settings = loadSettings({
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    SANDBOX_PASSWORD: 'a password of our own',
    ...env,
  })
  const deps = { settings, log: makeLog('silent', 'test') } as Deps
  return makeFront(deps, {} as Api)
    .listen(() => undefined)
    .catch((error: unknown) => error)
}

describe('an address that cannot be listened on stops the start with one line', () => {
  it.each(['203.0.113.1', 'no-such-host.invalid', '999.1.1.1', '::2'])('HOST=%s', async (host) => {
    const error = (await listen({ HOST: host })) as Error
    expect(error.name).toBe('StartError')
    expect(error.message).toMatch(/^HOST cannot be listened on \(E[A-Z_]+\): .*\.$/)
  })

  it('a PORT that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const error = (await listen({ HOST: '127.0.0.1', PORT: String(port) })) as Error
    expect(error.message).toBe(`PORT ${port} is in use on 127.0.0.1: stop the other program or set another PORT.`)
    other.close()
  })
})
