import { afterEach, describe, expect, it } from 'vitest'
import { lacksFlag } from './mutations/run'
import { startReferenceVasp, type ReferenceVasp } from './reference-vasp'
import { failuresOf, runKit } from './run-kit'

let vasp: ReferenceVasp | undefined
afterEach(() => vasp?.stop())

describe('a VASP that conforms', () => {
  it('passes with the six commands of the example', async () => {
    vasp = await startReferenceVasp()
    const report = await runKit(vasp)
    expect(failuresOf(report)).toEqual({})
    const notRun = report.results.filter(({ status }) => status === 'not-run')
    expect(notRun.filter(({ reason }) => !lacksFlag(reason))).toEqual([])
  })

  it('passes with all twelve commands', async () => {
    vasp = await startReferenceVasp({ wallet: 'complete', gatewayRoot: 'http://gateway.test/nwc' })
    const report = await runKit(vasp)
    expect(failuresOf(report)).toEqual({})
    expect(report.results.filter(({ status }) => status === 'pass').length).toBeGreaterThan(180)
  })
})
