import { createPrivateKey } from 'node:crypto'
import {
  CASES,
  resolveTarget,
  runConformance,
  signInByRecipe,
  type Recipe,
  type Report,
  type RunOptions,
} from 'uma-auth-conformance'
import { PASSWORD, type ReferenceVasp } from './reference-vasp'

const userNamed = (name: string) => ({ steps: [{ fields: { name, password: PASSWORD } }] })
/** Signs in, signs out and ends connections. */
const recipeFor = (origin: string): Recipe => ({
  users: [userNamed('alice'), userNamed('bob')],
  signOut: [{ url: `${origin}/account`, form: '/sign-out', fields: {} }],
  revoke: [{ url: `${origin}/account`, form: '/end', fields: {} }],
})

/** The kit with payments and the signing key, against a reference VASP. */
export function runKit(vasp: ReferenceVasp, changes: Partial<RunOptions> = {}): Promise<Report> {
  const { origin, gatewayRoot, pair } = vasp
  return runConformance({
    target: resolveTarget({ vasp: origin, gateway: gatewayRoot, jwtPublicKey: pair.publicPem }),
    signIn: signInByRecipe(recipeFor(origin)),
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
