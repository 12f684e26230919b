import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceFile } from './replace-file'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'replace-file-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('creates a file, and its folder, that only this user can read', () => {
  const path = join(folder, 'below', 'settings.env')
  replaceFile(path, 'first')
  replaceFile(path, 'second')
  expect(readFileSync(path, 'utf8')).toBe('second')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('keeps the old file until the new one is complete', () => {
  const path = join(folder, 'settings.env')
  replaceFile(path, 'old')
  // The new file cannot be written.
  mkdirSync(`${path}.new`)
  expect(() => replaceFile(path, 'new')).toThrow('EISDIR')
  expect(readFileSync(path, 'utf8')).toBe('old')
})
