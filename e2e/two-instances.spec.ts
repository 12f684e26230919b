import { expect, test } from 'playwright/test'
import { fetchToken, signIn } from '../sandbox/fetch-token'
import { NO_POSTGRES, startTestPostgres } from '../test/postgres'
import { startStack } from './stack'
import { slowdown } from './weight'

test('another instance on the same PostgreSQL sees a revocation within a second', async () => {
  const postgres = await startTestPostgres()
  test.skip(postgres === undefined, NO_POSTGRES)
  if (postgres === undefined) return
  const databaseUrl = await postgres.createDatabase()
  const first = await startStack({ DATABASE_URL: databaseUrl })
  // The second instance has the keys of the first: both are one VASP.
  const { JWT_PRIVATE_KEY = '', JWT_PUBLIC_KEY = '', VASP_DOMAIN = '', NEXTAUTH_URL = '' } = first.settings
  const second = await startStack({
    DATABASE_URL: databaseUrl,
    JWT_PRIVATE_KEY,
    JWT_PUBLIC_KEY,
    VASP_DOMAIN,
    NEXTAUTH_URL,
  })
  try {
    const user = {
      vaspOrigin: first.vaspOrigin,
      gatewayRootUrl: first.gatewayOrigin,
      instance: 'northbank',
      username: 'alice',
      password: 'sandbox',
    }
    const token = await fetchToken({ ...user, permissions: ['get_info'] })
    const ask = async (origin: string): Promise<number> =>
      (await fetch(`${origin}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })).status
    expect([await ask(first.vaspOrigin), await ask(second.vaspOrigin)]).toEqual([200, 200])
    await fetch(`${first.vaspOrigin}/connections/revoke-today`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: await signIn(user), Origin: first.vaspOrigin },
      body: new URLSearchParams({ shown_to: user.username }),
    })
    const revokedAt = Date.now()
    expect([await ask(second.vaspOrigin), await ask(first.vaspOrigin)]).toEqual([401, 401])
    expect(Date.now() - revokedAt).toBeLessThan(1_000 * (await slowdown()))
  } finally {
    await Promise.all([first.stop(), second.stop()])
    await postgres.stop()
  }
})
