import { CASES, signInByRecipe } from 'uma-auth-conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchLoginToken } from '../../sandbox/shared/fetch-token'
import { createRunUser, stepsOf } from '../../scripts/conformance-users'
import { startOwnVasp, type OwnVasp } from './own-vasp'

let vasp: OwnVasp
beforeAll(async () => {
  // A quote expires soon, so that a run with --slow need not wait for minutes.
  vasp = await startOwnVasp(undefined, { QUOTE_SECONDS: '30' })
})
afterAll(() => vasp.stop())

describe('our own VASP', () => {
  it.each(['first', 'second'])('passes every case in a %s run on the same data', async () => {
    const { results } = await vasp.run({ slow: true })
    const open = results
      .filter(({ status }) => status !== 'pass')
      .map(({ id, status, reason }) => `${id}: ${status}, ${reason}`)
    expect(open).toEqual([
      'login.look-alike-path: not-applicable, the gateway root has no path',
      ...['make-invoice', 'pay-invoice', 'execute-quote'].map(
        (area) =>
          `${area}.idempotent: not-applicable, the OpenAPI document of the VASP describes no Idempotency-Key here`,
      ),
      'errors.not-advertised: not-applicable, the VASP advertises all twelve commands',
      'keys.verification: not-run, needs --missing-key verification, after a restart',
      'keys.signing: not-run, needs --missing-key signing and --login-token, after a restart',
    ])
  })

  it('passes the cases of sign-out and revocation as a temporary user, whom the sign-out asks first', async () => {
    const publicOrigin = vasp.settings.NEXTAUTH_URL ?? ''
    const { username, password } = await createRunUser({ publicOrigin, teamPassword: undefined }, ['SAT'])
    const users = [{ steps: [{ fields: { username, password } }] }]
    const { results } = await vasp.run({
      signIn: signInByRecipe({ users, ...stepsOf(publicOrigin, username) }),
      cases: CASES.filter(({ id }) => ['login.signed-out-again', 'bearer.revoked'].includes(id)),
    })
    expect(results).toMatchObject([{ status: 'pass' }, { status: 'pass' }])
  })

  it('passes the cases of a missing key, after a restart without that key', async () => {
    const loginToken = await fetchLoginToken({
      vaspOrigin: vasp.settings.NEXTAUTH_URL ?? '',
      gatewayRootUrl: vasp.settings.GATEWAY_ROOT_URL ?? '',
      instance: 'northbank',
      username: 'alice',
      password: 'sandbox',
    })
    for (const [missingKey, name] of [
      ['verification', 'JWT_PUBLIC_KEY'],
      ['signing', 'JWT_PRIVATE_KEY'],
    ] as const) {
      await vasp.restartWithout(name)
      const cases = CASES.filter(({ id }) => id === `keys.${missingKey}`)
      const { results } = await vasp.run({ cases, missingKey, loginToken })
      expect(results).toMatchObject([{ status: 'pass', reason: '' }])
    }
  })
})
