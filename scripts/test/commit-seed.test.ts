import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOfSources } from '@/sandbox/demo/build'
import { seedOfCommit } from './commit-seed'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-seed-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...args], { cwd: folder, encoding: 'utf8' })

describe('the seed of a commit', () => {
  it('is the beginning of the hash of the sources where git knows no commit', () => {
    expect(seedOfCommit(folder)).toBe(Number.parseInt(hashOfSources().slice(0, 7), 16))
  })

  it('is the beginning of the hash of the commit', () => {
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message=one')
    expect(seedOfCommit(folder)).toBe(Number.parseInt(git('rev-parse', '--short=7', 'HEAD'), 16))
  })
})
