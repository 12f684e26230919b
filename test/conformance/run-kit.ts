import { createPrivateKey } from 'node:crypto'
import {
  CASES,
  resolveTarget,
  runConformance,
  signInByRecipe,
  type Report,
  type RunOptions,
} from 'uma-auth-conformance'
import { PASSWORD, type ReferenceVasp } from './reference-vasp'

const userNamed = (name: string) => ({ steps: [{ fields: { name, password: PASSWORD } }] })
export const RECIPE = { users: [userNamed('alice'), userNamed('bob')] }

/** The kit with payments and the signing key, against a reference VASP. */
export function runKit(vasp: ReferenceVasp, changes: Partial<RunOptions> = {}): Promise<Report> {
  const { origin, gatewayRoot, pair } = vasp
  return runConformance({
    target: resolveTarget({ vasp: origin, gateway: gatewayRoot, jwtPublicKey: pair.publicPem }),
    signIn: signInByRecipe(RECIPE),
    signingKey: createPrivateKey(pair.privatePem),
    cases: CASES,
    payments: true,
    uma: false,
    umaSender: undefined,
    invoice: undefined,
    paymentSeconds: 20,
    ...changes,
  })
}

/** Ids with their reasons, by status. */
export function failuresOf({ results }: Report): Record<string, string> {
  return Object.fromEntries(results.filter(({ status }) => status === 'fail').map(({ id, reason }) => [id, reason]))
}
