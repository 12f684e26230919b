import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openProcessLog, processLogPath } from './process-log'
import { exitMessage, startProcess } from './processes'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'process-log-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (path: string): string => readFileSync(path, 'utf8')

describe('the log of one of the demo’s processes', () => {
  it('is in the demo’s folder, under the process’s name, readable by its owner only', () => {
    const path = processLogPath(folder, 'gateway simulator')
    expect(path).toBe(join(folder, 'demo', 'gateway-simulator.log'))
    openProcessLog(path)('up')
    expect(read(path)).toBe('up\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('keeps the previous run next to it', () => {
    const path = join(folder, 'x.log')
    openProcessLog(path)('first run')
    openProcessLog(path)('second run')
    expect([read(`${path}.old`), read(path)]).toEqual(['first run\n', 'second run\n'])
  })

  it('never exceeds its maximum size, and keeps the latest lines', () => {
    const path = join(folder, 'x.log')
    const write = openProcessLog(path, 100)
    for (let line = 0; line < 50; line++) write(`line ${line}`)
    expect(statSync(path).size).toBeLessThanOrEqual(100)
    expect(statSync(`${path}.old`).size).toBeLessThanOrEqual(100)
    expect(read(path)).toMatch(/line 49\n$/)
  })

  it('contains no secrets', () => {
    const path = join(folder, 'x.log')
    const write = openProcessLog(path)
    write(`choked on eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)} of postgresql://vasp:canary@db/x`)
    write(`nostr+walletconnect://${'b'.repeat(64)}?relay=ws://localhost&secret=${'c'.repeat(64)}`)
    expect(read(path)).not.toMatch(/eyJ|canary|cccc/)
  })

  it('is abandoned when it cannot be written', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => openProcessLog(join(folder, 'file', 'x.log'))('anything')).not.toThrow()
    expect(readdirSync(folder)).toEqual(['file'])
    expect(read(join(folder, 'file'))).toBe('')
  })

  it('has every line of a process that crashes, from both streams and with an incomplete last line, and the error message names the file', async () => {
    const logFile = join(folder, 'x.log')
    const script = `
      for (let line = 0; line < 3_000; line++) console.log('line ' + line)
      process.stderr.write('the cause\\nand no line end')
      process.exitCode = 7`
    const running = startProcess('test process', ['--eval', script], process.env, { logFile })
    await running.closed
    const lines = read(logFile).split('\n')
    expect(lines).toEqual(expect.arrayContaining(['line 0', 'line 2999', 'the cause', 'and no line end']))
    expect(lines.filter((line) => line.startsWith('line '))).toHaveLength(3_000)
    expect(exitMessage(running)).toContain(`ended with code 7; its full output is in ${logFile}. Its last message: `)
  })
})
