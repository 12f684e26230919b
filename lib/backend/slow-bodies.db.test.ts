import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const SLOW = 250

/** The client disconnects midway. */
async function* brokenBody(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{')
  await Promise.reject(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
}

/** A body that arrives slowly. */
function slowBody(): {
  readonly body: AsyncIterable<Uint8Array>
  readonly asked: Promise<void>
  readonly end: () => void
} {
  let end: () => void = () => {}
  let ask: () => void = () => {}
  const asked = new Promise<void>((resolve) => (ask = resolve))
  const ended = new Promise<void>((resolve) => (end = resolve))
  async function* chunks(): AsyncGenerator<Uint8Array> {
    ask()
    yield Buffer.from('{')
    await ended
    yield Buffer.from('}')
  }
  return { body: chunks(), asked, end }
}

describeOnBothEngines('slow request bodies', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  const send = (token: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly status: number }> => {
    const { publicOrigin, apiBasePath } = vasp.app.settings
    const headers = new Map([['authorization', `Bearer ${token}`]])
    const url = `${publicOrigin}${apiBasePath}/invoice`
    return vasp.api.answer({ method: 'POST', url, headers: { get: (name: string) => headers.get(name) ?? null }, body })
  }

  it('that break off are not logged as errors', async () => {
    vasp.logged.length = 0
    expect((await send(await vasp.connectionToken('alice', ['make_invoice']), brokenBody())).status).toBe(400)
    expect(vasp.logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 40)).toEqual([])
  })

  it('do not count as calls in progress, so that other calls are served', async () => {
    const [alices, bobs] = await Promise.all([
      vasp.connectionToken('alice', ['make_invoice']),
      vasp.connectionToken('bob', ['get_balance']),
    ])
    const bodies = Array.from({ length: SLOW }, slowBody)
    const answers = bodies.map(({ body }) => send(alices, body))
    // Each call waits for its body, or is refused.
    await Promise.all(bodies.map(({ asked }, index) => Promise.race([asked, answers[index]])))
    expect((await vasp.get('/balance', bobs)).status).toBe(200)
    for (const { end } of bodies) end()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses).toContain(400)
    expect((await vasp.get('/balance', bobs)).status).toBe(200)
  })
})
