import { expect, it } from 'vitest'
import { readAuditArguments } from './audit-arguments'

it.each([['--acknowledge'], ['--acknowledge='], ['--acknowledge=all'], ['--acknowledge=1', '2'], ['17']])(
  'refuses wrong arguments in one line: %s',
  (...args) => {
    expect(() => readAuditArguments(args)).toThrow(/^[^\n]+$/)
  },
)
