import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { JsonFile } from './json-file'

const State = z.object({
  names: z.array(z.string()).default([]),
  owner: z.object({ id: z.int(), since: z.int().nullable().default(null) }).optional(),
})
const advice = 'Restore a copy.'
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'json-file-'))
  path = join(folder, 'below', 'state.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (): JsonFile<typeof State> => new JsonFile(path, State, advice)

describe('a state in a JSON file', () => {
  it('is empty before it is saved, and creates nothing', () => {
    expect(open().state).toEqual({ names: [] })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is the same after a restart, in a file for this user only, with no file beside it', () => {
    const file = open()
    file.state.names.push('ümlaut')
    file.save()
    expect(open().state).toEqual({ names: ['ümlaut'] })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'below'))).toEqual(['state.json'])
  })

  it('of an earlier version gets what was added since', () => {
    open().save()
    writeFileSync(path, '{"owner":{"id":3},"gone":1}')
    expect(open().state).toEqual({ names: [], owner: { id: 3, since: null } })
  })

  it.each([
    ['', 'it is not JSON'],
    ['{"names":["a"', 'it is not JSON'],
    ['[]', 'the file is missing or not valid'],
    ['null', 'the file is missing or not valid'],
    ['{"names":"a"}', 'names is missing or not valid'],
    ['{"names":["a",null]}', 'names.1 is missing or not valid'],
    ['{"owner":{}}', 'owner.id is missing or not valid'],
  ])('is not opened, and stays as it is: %s', (text, why) => {
    open().save()
    writeFileSync(path, text)
    expect(() => open()).toThrow(`${path} cannot be read: ${why}. ${advice}`)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('that cannot be written has the state of before', () => {
    const file = open()
    file.save()
    mkdirSync(`${path}.new`)
    file.state.names.push('lost')
    expect(() => file.save()).toThrow('EISDIR')
    expect(open().state).toEqual({ names: [] })
  })
})
