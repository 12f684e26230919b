import { expect, it } from 'vitest'
import { readConformanceArguments } from './conformance-options'

it('holds the demo to good practice too, unless a level is given', () => {
  expect(readConformanceArguments(['--self', '--html', 'r.html'])).toEqual({
    self: true,
    mutants: false,
    args: ['--html', 'r.html', '--fail-on', 'should'],
  })
  expect(readConformanceArguments(['--self', '--fail-on', 'must']).args).toEqual(['--fail-on', 'must'])
  expect(readConformanceArguments(['--vasp', 'http://localhost:1']).args).toEqual(['--vasp', 'http://localhost:1'])
})

it('plants mistakes only with --self', () => {
  expect(readConformanceArguments(['--self', '--mutants'])).toMatchObject({ self: true, mutants: true })
  expect(() => readConformanceArguments(['--mutants'])).toThrow('--mutants needs --self.')
})
