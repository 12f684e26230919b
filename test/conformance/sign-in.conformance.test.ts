import {
  CASES,
  NEEDS,
  resolveTarget,
  runConformance,
  signInByCommand,
  signInInteractively,
  type SignIn,
} from 'uma-auth-conformance'
import { afterEach, describe, expect, it } from 'vitest'
import { makeVisitor } from '@/sandbox/pairing/visitor'
import { freePort } from '../programs/free-port'
import { PASSWORD, startReferenceVasp, type ReferenceVasp } from './reference-vasp'

let vasp: ReferenceVasp | undefined
afterEach(() => vasp?.stop())

/** All options except those that need the user's session. */
async function runWith(signIn: SignIn, { origin, gatewayRoot, pair }: ReferenceVasp) {
  const { results } = await runConformance({
    target: resolveTarget({ vasp: origin, gateway: gatewayRoot, jwtPublicKey: pair.publicPem }),
    signIn,
    cases: CASES,
    payments: true,
    uma: false,
    paymentSeconds: 20,
  })
  await signIn.close()
  const passed = results.filter(({ status }) => status === 'pass').length
  const failed = results.filter(({ status }) => status === 'fail')
  const reasons = new Set(results.filter(({ status }) => status === 'not-run').map(({ reason }) => reason))
  return {
    passed,
    failed,
    reasons: [...reasons].filter((reason) => !/^needs --(uma|missing-key|test-signing-key)/.test(reason)),
  }
}

/** Signs in as a user of the reference VASP, with plain requests; prints where the VASP redirects to. */
const PROGRAM = `
  const { LOGIN_URL, SIGN_IN_USER } = process.env
  const page = await fetch(LOGIN_URL)
  const cookie = page.headers.getSetCookie()[0].split(';')[0]
  const pending = /name="pending" value="([^"]+)"/.exec(await page.text())[1]
  const name = SIGN_IN_USER === 'first' ? 'alice' : 'bob'
  const body = new URLSearchParams({ pending, name, password: '${PASSWORD}' })
  const answer = await fetch(new URL('/sign-in', LOGIN_URL), { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
  console.log('Signed in: ' + answer.headers.get('location'))
`

describe('sign-in without a recipe', () => {
  it('uses a command, and leaves out the cases that need a session', async () => {
    vasp = await startReferenceVasp()
    const command = `${process.execPath} --input-type=module -e '${PROGRAM.replaceAll("'", String.raw`'\''`)}'`
    const { passed, failed, reasons } = await runWith(signInByCommand(command, true), vasp)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(120)
    expect(reasons).toEqual([`needs ${NEEDS.browser}`])
  })

  it('waits for a user who signs in by hand, at the address of the gateway', async () => {
    const gatewayRoot = `http://localhost:${await freePort()}`
    vasp = await startReferenceVasp({ gatewayRoot })
    const lines: string[] = []
    const signIn = await signInInteractively(new URL(gatewayRoot), (line) => {
      if (line.startsWith('http')) void signInAs(lines.at(-1)?.includes('first') === true ? 'alice' : 'bob', line)
      lines.push(line)
    })
    const { passed, failed, reasons } = await runWith(signIn, vasp)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(120)
    expect(reasons).toEqual([`needs ${NEEDS.browser}`])
    expect(lines.filter((line) => line.startsWith('Sign in as the first user.')).length).toBeLessThanOrEqual(2)
  })
})

/** As a browser does: the last redirect reaches the kit. */
async function signInAs(name: string, loginUrl: string): Promise<void> {
  const visitor = makeVisitor()
  const page = await visitor.get(loginUrl)
  const pending = /name="pending" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  await visitor.post(new URL('/sign-in', loginUrl).href, new URLSearchParams({ pending, name, password: PASSWORD }))
}
