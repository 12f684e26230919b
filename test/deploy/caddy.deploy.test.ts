import { createServer, get, type IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

it('browsers use only https for the public name of a sandbox, and may use http at localhost', async ({ skip }) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return skip(missing)
  const [instancePort, port] = [await freePort(), await freePort()]
  const instance = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => instance.listen(instancePort, '127.0.0.1', resolve))
  const caddy = await startCaddy({ site: `:${port}`, upstreams: [instancePort] })
  try {
    const policyFor = async (host: string): Promise<unknown> =>
      (await headersOf(port, host))['strict-transport-security']
    expect(await policyFor('sandbox.example')).toBe('max-age=31536000')
    expect(await policyFor('localhost')).toBeUndefined()
    expect(await policyFor(`localhost:${port}`)).toBeUndefined()
  } finally {
    await caddy.stop()
    instance.close()
    instance.closeAllConnections()
  }
})

function headersOf(port: number, host: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume()
      resolve(response.headers)
    }).on('error', reject)
  })
}
