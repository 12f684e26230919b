import { EXIT_CODES, OPTIONS } from 'uma-auth-conformance'
import { parseCommandLine, type Command } from './options'

export const CONFORMANCE = {
  usage: 'npm run conformance -- --vasp ORIGIN --sign-in FILE [OPTIONS]',
  does: 'Tests a running VASP against the UMA Auth specification, from the outside.',
  options: {
    self: { about: 'Test the running demo, with payments, as two users created for the run.' },
    mutants: {
      about: 'With --self: test VASPs with one planted mistake each, and print what finds it.',
    },
    ...OPTIONS,
  },
  notes: [EXIT_CODES, 'It moves no money without --payments. docs/conformance.md explains each step.'],
  examples: [
    'npm run conformance -- --self',
    'npm run conformance -- --self --mutants',
    'npm run conformance -- --vasp http://localhost:4000 --sign-in sign-in.json --html report.html',
    'npm run conformance -- --explain exchange.token-before-permissions',
  ],
} as const satisfies Command

/** `args`: those for the kit. @throws Error with one line that names the wrong argument. */
export function readConformanceArguments(args: readonly string[]) {
  const { values } = parseCommandLine(CONFORMANCE, args)
  const self = values.self === true
  const mutants = values.mutants === true
  if (mutants && !self) throw new Error('--mutants needs --self.')
  // The demo is held to good practice too.
  const failOn = self && values['fail-on'] === undefined ? ['--fail-on', 'should'] : []
  if (self && values.vasp !== undefined) throw new Error('--self and --vasp exclude each other.')
  return { self, mutants, args: [...args.filter((arg) => arg !== '--self' && arg !== '--mutants'), ...failOn] }
}
