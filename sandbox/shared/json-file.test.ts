import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

const open = (maxBytes = 1_000): JsonFile<typeof State> =>
  new JsonFile(path, {
    schema: State,
    advice,
    maxBytes,
    drop: ({ names }) => names.splice(Math.ceil(names.length / 2)).length > 0,
  })

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
    [`{"names":["${'x'.repeat(4_000)}"]}`, 'it has 4014 bytes, and the maximum is 1000'],
  ])('is not opened, and stays as it is: %s', (text, why) => {
    open().save()
    writeFileSync(path, text)
    expect(() => open()).toThrow(`${path} cannot be read: ${why}. ${advice}`)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('drops what is least useful instead of growing beyond its maximum, counted in bytes', () => {
    const file = open(200)
    for (let n = 0; n < 60; n++) {
      file.state.names.unshift(`é${n}`)
      file.save()
      expect(statSync(path).size).toBeLessThanOrEqual(200)
    }
    expect(file.state.names[0]).toBe('é59')
    expect(open(200).state).toEqual(file.state)
  })

  it('of an earlier version without a maximum is opened, and made smaller when it is saved', () => {
    open().save()
    writeFileSync(path, JSON.stringify({ names: Array.from({ length: 300 }, (_, n) => `name ${n}`) }))
    const file = open()
    expect(file.state.names).toHaveLength(300)
    file.save()
    expect(statSync(path).size).toBeLessThanOrEqual(1_000)
    expect(open().state.names[0]).toBe('name 0')
  })

  it('is not saved when nothing is left to drop, and the file keeps the state of before', () => {
    const file = open(100)
    file.save()
    file.state.names.push('x'.repeat(200))
    expect(() => file.save()).toThrow('would be larger than 100 bytes')
    expect(open(100).state).toEqual({ names: [] })
  })
})
