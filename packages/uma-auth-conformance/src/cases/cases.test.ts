import { describe, expect, it } from 'vitest'
import { REASONS, SPEC } from '../sentences.ts'
import { areaOf, COMMANDS } from '../verdict.ts'
import { AREAS } from './implemented.ts'
import { CASES } from './index.ts'

describe('the cases', () => {
  it('have unique ids, and follow the cases that they depend on', () => {
    const seen = new Set<string>()
    for (const { id, dependsOn = [] } of CASES) {
      expect(id).toMatch(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/)
      expect(seen).not.toContain(id)
      for (const other of dependsOn) expect(seen, `${id} depends on ${other}`).toContain(other)
      seen.add(id)
    }
  })

  it('state their requirement, its source, and what to change', () => {
    for (const { id, title, paragraph, quote, advice } of CASES) {
      for (const text of [title, paragraph, quote, advice]) expect(text.trim(), id).not.toBe('')
      expect(title, id).not.toMatch(/\.$/)
      expect(advice, id).toMatch(/[.?]$/)
    }
  })

  it('name a sentence of the specification at the level must', () => {
    for (const { id, level, paragraph, quote } of CASES)
      if (level === 'must') expect(Object.values(SPEC), id).toContainEqual({ paragraph, quote })
  })

  it('use every sentence of the table', () => {
    const used = new Set(CASES.map(({ quote }) => quote))
    for (const { quote } of [...Object.values(SPEC), ...Object.values(REASONS)]) expect(used).toContain(quote)
  })

  it('include one for each command, which checks that the command is implemented', () => {
    const areas = new Set(CASES.map(areaOf))
    for (const command of COMMANDS) {
      expect(areas).toContain(AREAS[command])
      expect(CASES.find(({ id }) => id === `${AREAS[command]}.implemented`)?.needs).toEqual([command])
    }
  })
})
