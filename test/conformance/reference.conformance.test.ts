import { afterEach, describe, expect, it } from 'vitest'
import type { Wallet } from './complete-wallet'
import { HABITS } from './mutations/movements'
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
    expect(report.results.filter(({ status }) => status === 'pass').length).toBeGreaterThan(195)
  })

  it.each(HABITS)('passes when it %s', async (_name, wrap) => {
    vasp = await startReferenceVasp({ wallet: 'complete', wrap })
    expect(failuresOf(await runKit(vasp))).toEqual({})
  })

  it('passes with --slow when it refuses a quote after its expiry', async () => {
    const changeWallet = (given: Wallet): Wallet => {
      const { fetchQuote } = given as Required<Wallet>
      return {
        ...given,
        async fetchQuote(user, input, context) {
          const quote = await fetchQuote(user, input, context)
          // The wallet keeps this object: its own check reads the shorter time.
          return Object.assign(quote, { expiresAtSeconds: quote.createdAtSeconds + 2 })
        },
      }
    }
    vasp = await startReferenceVasp({ wallet: 'complete', changeWallet })
    const report = await runKit(vasp, { slow: true })
    expect(failuresOf(report)).toEqual({})
    expect(report.results.find(({ id }) => id === 'execute-quote.expired')?.status).toBe('pass')
  })
})
