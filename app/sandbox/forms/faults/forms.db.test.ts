import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { processSingletons } from '@/lib/platform/process-singletons'
import { listFaults } from '@/lib/sandbox/faults/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withFaultInjector } from '@/test/vasp/faults'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST as add } from './add/route'
import { POST as expire } from './expire/route'
import { POST as stop } from './stop/route'

vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => true,
  sessionOfRequest: async () => pageSession('alice'),
}))

describeOnBothEngines('The forms of the Faults section', (db) => {
  let vasp: TestVasp
  let connection = ''
  let token = ''
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = withFaultInjector(await makeTestVasp(db()))
  })
  beforeEach(async () => {
    processSingletons().set('application', vasp.app)
    token = await vasp.connectionToken('alice')
    connection = idOf(token)
  })

  async function send(route: typeof add, fields: Readonly<Record<string, string>>): Promise<[number, string]> {
    const response = await route(
      new Request('http://localhost:3000/connections', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: 'alice', ...fields }),
      }),
    )
    return [response.status, response.headers.get('location') ?? (await response.text())]
  }
  const terms = { kind: 'delay', when: 'after', calls: '2', minutes: '10', seconds: '' }

  it('add a fault and stop it', async () => {
    expect(await send(add, { connection, ...terms })).toEqual([303, `/connections/${connection}?done=fault-added`])
    const [fault] = await listFaults(db(), 'alice', connection)
    expect(fault).toMatchObject({ kind: 'delay', stage: 'after', callsLeft: 2, seconds: 8 })
    const id = fault?.id ?? ''
    expect(await send(stop, { connection, fault: id })).toEqual([303, `/connections/${connection}?done=fault-stopped`])
    expect((await send(stop, { connection, fault: id }))[1]).toContain('error=stop.ended#stop')
  })

  it.each([
    ['calls', { calls: '0' }, 'range'],
    ['calls', { calls: '101' }, 'range'],
    ['calls', { calls: '1e1' }, 'range'],
    ['minutes', { minutes: '61' }, 'range'],
    ['seconds', { seconds: '61' }, 'range'],
    ['seconds', { kind: 'OTHER', seconds: '2' }, 'not_for_this_kind'],
  ])('show an error at the field %s: %j', async (field, mistake, code) => {
    const [status, location] = await send(add, { connection, ...terms, ...mistake })
    expect(status).toBe(303)
    expect(location).toContain(`error=${field}.${code}#${field}`)
    expect(await listFaults(db(), 'alice', connection)).toEqual([])
  })

  it('answer 404 to a connection of another user, and change nothing', async () => {
    const bobs = await vasp.connectionToken('bob')
    expect((await send(add, { connection: idOf(bobs), ...terms }))[0]).toBe(404)
    expect((await send(expire, { connection: idOf(bobs), expires: 'connection' }))[0]).toBe(404)
    expect((await send(expire, { connection: idOf(bobs), quote: 'ab'.repeat(32) }))[0]).toBe(404)
    expect((await vasp.get('/info', bobs)).status).toBe(200)
  })

  it('expire a connection', async () => {
    expect((await send(expire, { connection, expires: 'connection' }))[1]).toContain('done=connection-expired')
    expect((await vasp.get('/info', token)).status).toBe(401)
    expect((await send(expire, { connection, expires: 'connection' }))[0]).toBe(404)
  })

  it('answer 404 without the sandbox tools, and change nothing', async () => {
    const settings = { ...vasp.app.settings, sandboxTools: false }
    processSingletons().set('application', { ...vasp.app, settings, faults: undefined })
    expect((await send(add, { connection, ...terms }))[0]).toBe(404)
    expect((await send(stop, { connection, fault: '1' }))[0]).toBe(404)
    expect((await send(expire, { connection, expires: 'connection' }))[0]).toBe(404)
    expect((await vasp.get('/info', token)).status).toBe(200)
    expect(await listFaults(db(), 'alice', connection)).toEqual([])
  })
})
