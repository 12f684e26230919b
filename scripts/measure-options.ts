import type { Command } from './options'

export const SOAK = {
  usage: 'npm run soak [-- OPTIONS]',
  does: 'Puts two instances under load, kills one again and again, restarts the database, and checks the books.',
  options: {
    minutes: {
      takes: 'NUMBER',
      about: 'Length of the run. Default: 60. With 60 or more, on a quiet machine, it writes docs/soak.md.',
    },
    'kill-minutes': { takes: 'NUMBER', about: 'Time between two kills. Default: 2.' },
    'restart-minutes': { takes: 'NUMBER', about: 'Time between two restarts of the database. Default: 15.' },
    'check-minutes': { takes: 'NUMBER', about: 'Time between two checks of the books. Default: 1.' },
  },
  notes: [
    'Needs the programs of a PostgreSQL server (Debian: postgresql). Exit code 1: a fault was found.\nA run below 60 minutes may share the machine, so a 503 is no fault in it.',
  ],
  examples: ['npm run soak -- --minutes 5'],
} as const satisfies Command

export const SIZE = {
  usage: 'npm run size [-- OPTIONS]',
  does: 'Counts the lines of committed code by part, without blank lines and comments.',
  options: { against: { takes: 'COMMIT', about: 'Show the lines at this commit too, and the difference.' } },
  notes: [
    'Parts: the protocol package, the conformance kit, the bank, the sandbox wing with its pages, the simulators, the\ntools (scripts, benchmarks, configuration), the examples, the tests, and the code that only tests use.',
  ],
  examples: ['npm run size', 'npm run size -- --against HEAD~10'],
} as const satisfies Command
