import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

  // On Node 20, the export of such a key as JWK holds the key's lock, for which a garbage collection in the same thread then waits.
  it('does not stop a process: no key object comes from generateKeyPair itself', () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js', '*.md'], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const calls = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/\bgenerateKeyPair(?:Sync)?\((?='(?:ec|rsa|ed25519)')/)
        .slice(1)
        .map((rest) => [file, rest.slice(0, 250).includes('privateKeyEncoding')] as const),
    )
    expect(calls.length).toBeGreaterThan(3)
    expect(calls.filter(([, isEncoded]) => !isEncoded)).toEqual([])
  })
})
