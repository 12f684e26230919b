import { areaOf, CASES } from 'uma-auth-conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../programs/free-port'
import { ownMutations } from './mutations/own'
import { lacksFlag } from './mutations/run'
import { startOwnVasp, type OwnVasp } from './own-vasp'
import { startProxy, type Proxy } from './proxy'

// Mistakes that need UMA or several currencies, in front of our own VASP. Each runs the cases of its area.

let vasp: OwnVasp
let proxy: Proxy
beforeAll(async () => {
  const publicPort = await freePort()
  vasp = await startOwnVasp(publicPort)
  proxy = await startProxy(publicPort, () => vasp.port)
})
afterAll(async () => {
  await proxy.stop()
  await vasp.stop()
})

describe('a mistake in front of our own VASP', () => {
  it('is not found when the proxy changes nothing', async () => {
    const { results } = await vasp.run()
    expect(
      results.filter(({ status, reason }) => status === 'fail' || (status === 'not-run' && !lacksFlag(reason))),
    ).toEqual([])
  })

  it.each(ownMutations.map((mutation) => [mutation.caughtBy, mutation] as const))(
    'fails %s',
    async (id, { vasp: { wrap } }) => {
      proxy.use((next) => wrap?.(next, { privatePem: '', publicPem: '' }, '') ?? next)
      const areas = ['lnurl', 'uma'].includes(areaOf({ id })) ? ['lnurl', 'uma'] : [areaOf({ id })]
      const cases = CASES.filter((each) => areas.includes(areaOf(each)))
      const { results } = await vasp.run({ cases })
      const failed = results.filter(({ status }) => status === 'fail').map((result) => result.id)
      expect(failed).toContain(id)
    },
  )
})
