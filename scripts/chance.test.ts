import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SEED } from '@/test/runners/chance'
import config from '@/vitest.config'

describe('chance in tests', () => {
  it('has a fixed seed in every project', () => {
    const projects = config.test?.projects ?? []
    expect(projects.length).toBeGreaterThan(5)
    for (const project of projects)
      expect(project).toMatchObject({ test: { setupFiles: expect.arrayContaining(['test/runners/chance.ts']) } })
  })

  it('gives a property the same values in every run, and a failure prints what repeats it', () => {
    expect(SEED).toBe(Number(process.env.TEST_SEED ?? 1))
    expect(fc.sample(fc.nat())).toEqual(fc.sample(fc.nat(), { seed: SEED }))
    const wrong = (): void => fc.assert(fc.property(fc.nat(), (number) => number < 100))
    expect(wrong).toThrow(`{ seed: ${SEED}, path: "`)
  })
})
