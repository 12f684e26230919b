import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, it, vi } from 'vitest'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { newPayer, type Payer } from '@/test/vasp/leaving'
import { pageUser } from '@/test/vasp/page-user'
import { makeTestVasp, withParts, type TestVasp } from '@/test/vasp/vasp'
import StatusPage from './page'

let signedIn = ''
vi.mock(import('../require-user'), () => ({ requireUser: async () => pageUser(signedIn) }))

describeOnBothEngines('The page of the status', (db) => {
  const node = makeScriptedNode()
  let vasp: TestVasp
  let payer: Payer
  beforeEach(async () => {
    const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1', MAX_ACTIVE_CONNECTIONS_PER_USER: '7' }
    vasp = await makeTestVasp(db(), env, undefined, node)
    payer = await newPayer(vasp, { SAT: 5_000_000n })
    signedIn = payer.username
  })

  async function show(shown = vasp): Promise<string> {
    processSingletons().set('application', shown.app)
    return renderToStaticMarkup(await StatusPage()).replaceAll(/<[^>]+>/g, '')
  }
  const withAudit = (state: 'ok' | 'failed' | 'missing'): TestVasp =>
    withParts(vasp, { audit: { ...vasp.app.audit, state: () => state } })

  it('says whether the books balance, and when they were checked', async () => {
    expect(await show()).toContain('They have not been checked in the last five minutes.')
    await vasp.app.audit.run('everything')
    expect(await show()).toMatch(/They balance\. Checked (?:just now|\d+ seconds? ago)\./)
    expect(await show(withAudit('failed'))).toContain('They do not balance. Payments are stopped')
  })

  it('says whether the node works', async () => {
    expect(await show()).toContain('It works.')
    const away = withParts(vasp, { node: { ...vasp.app.node, state: () => Promise.resolve('away') } })
    expect(await show(away)).toContain('It does not answer. Payments to other VASPs wait')
  })

  it('counts the connections and the payments in progress of this user alone', async () => {
    expect(await show()).toContain('1 of 7 are active.')
    expect(await show()).toContain('No app of yours has called yet.')
    node.script = 'in flight'
    expect((await payer.pay(node.invoice(1_000_000n).invoice)).status).toBe(504)
    await vasp.connectionToken(payer.username)
    const text = await show()
    expect(text).toContain('2 of 7 are active.')
    expect(text).toContain(`1 of ${vasp.app.settings.maxOpenPaymentsPerUser} payments to other VASPs are in progress.`)
    expect(text).toMatch(/Your apps last called (?:just now|\d+ seconds? ago)\./)
    signedIn = (await newPayer(vasp, { SAT: 0n })).username
    expect(await show()).toContain(`0 of ${vasp.app.settings.maxOpenPaymentsPerUser} payments`)
    expect(await show()).toContain('1 of 7 are active.')
  })

  it('names the build, the gateway and the limits of calls', async () => {
    const text = await show()
    expect(text).toContain(`${vasp.app.settings.gatewayRootUrl.host}.`)
    expect(text).toMatch(/Version (?:unknown|\d+\.\d+\.\d+)/)
    // The tests run without rate limits.
    expect(text).toContain('Not limited on this server.')
    const limited = withParts(vasp, { settings: { ...vasp.app.settings, rateLimits: true } })
    expect(await show(limited)).toContain('50 a second for each connection, 200 at first, and 5 of yours at once.')
  })
})
