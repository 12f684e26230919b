import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { holderOf, LOOPBACKS, requireDifferent, requireFree } from './ports'

let server: Server | undefined
afterEach(() => void server?.close())

async function listenOn(host: string): Promise<number> {
  const taken = createServer()
  server = taken
  await new Promise<void>((resolve) => taken.listen(0, host, resolve))
  return (taken.address() as AddressInfo).port
}

describe('a port', () => {
  it.each(LOOPBACKS)(
    'is refused in one line when another program listens on %s, with the setting that changes the port',
    async (host) => {
      const port = await listenOn(host)
      await expect(requireFree({ setting: 'GATEWAY_PORT', port, hosts: LOOPBACKS })).rejects.toThrow(
        new RegExp(`^Port ${port} is taken by .+: stop it, or set GATEWAY_PORT to another port\\.$`),
      )
    },
  )

  it('is free when no program listens on it, and is left free', async () => {
    const port = await listenOn('127.0.0.1')
    await new Promise((resolve) => server?.close(resolve))
    await requireFree({ setting: 'PORT', port, hosts: LOOPBACKS })
    await requireFree({ setting: 'PORT', port, hosts: LOOPBACKS })
  })

  it('is refused for two settings, with both names', () => {
    const wanted = (setting: string, port: number) => ({ setting, port, hosts: LOOPBACKS })
    const two = [wanted('PORT', 3000), wanted('APP_PORT', 3001)]
    expect(() => requireDifferent(two)).not.toThrow()
    expect(() => requireDifferent([...two, wanted('SOUTHBANK_PORT', 3001)])).toThrow(
      'APP_PORT and SOUTHBANK_PORT are both 3001: give each a port of its own.',
    )
  })

  it.runIf(process.platform === 'linux')('is reported with the process that uses it', async () => {
    expect(holderOf(await listenOn('127.0.0.1'))).toMatch(new RegExp(`^process ${process.pid} \\(.*node`))
  })
})
