import { expect, it } from 'vitest'
import { parseLog } from './statements'

it('reads the executed statements of a log, and neither their parse steps nor further lines of their texts', () => {
  const log = [
    '1732692314.120 vasp LOG:  duration: 0.011 ms  parse uma_user: select 1',
    '1732692314.121 vasp LOG:  duration: 0.020 ms  bind uma_user: select 1',
    '1732692314.123 vasp LOG:  duration: 0.250 ms  execute uma_user: select id',
    '\tfrom users',
    '1732692314.124 vasp LOG:  duration: 1.5 ms  execute <unnamed>: select "public"."users"."id" from "public"."users"',
    '1732692314.125 other LOG:  duration: 0.1 ms  statement: begin',
    '1732692314.126  LOG:  checkpoint starting: time',
  ].join('\n')
  expect(parseLog(log)).toEqual([
    { atMs: 1_732_692_314_123, database: 'vasp', name: 'uma_user', ms: 0.25 },
    { atMs: 1_732_692_314_124, database: 'vasp', name: 'select "public"."users"."id" from "publi', ms: 1.5 },
    { atMs: 1_732_692_314_125, database: 'other', name: 'begin', ms: 0.1 },
  ])
})
