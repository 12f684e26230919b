import { describe, expect, it, vi } from 'vitest'
import { consoleToLog } from './console-to-log'
import { makeLog } from './log'

function said(say: (target: Pick<Console, 'error' | 'warn'>) => void): string[] {
  const lines: string[] = []
  const target = { error: () => undefined, warn: () => undefined }
  consoleToLog(makeLog('info', 'test', { write: (line) => void lines.push(line) }), target)
  say(target)
  return lines
}

describe('console output of Next', () => {
  it('becomes one log line with the error and the error number that the user sees', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED\nsecond line'), { digest: '12345' })
    const lines = said((target) => target.error(' ⨯', error))
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toContain('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: '⨯',
      error: { message: 'connect ECONNREFUSED\nsecond line', digest: '12345' },
    })
  })

  it('is bounded, however a client varies the text: 60 lines, then their number', () => {
    vi.useFakeTimers()
    try {
      const lines: string[] = []
      const target = { error: () => undefined, warn: () => undefined }
      consoleToLog(makeLog('info', 'test', { write: (line) => void lines.push(line) }), target)
      const say = target.error as (...parts: unknown[]) => void
      for (let count = 0; count < 500; count++) say(`⨯ page ${count}`, new Error(`failure ${count}`))
      expect(lines).toHaveLength(60)
      vi.advanceTimersByTime(10_000)
      expect(lines).toHaveLength(61)
      expect(JSON.parse(lines[60] ?? '')).toMatchObject({ lines: 440, message: 'errors of pages' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('is written without secrets', () => {
    const token = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)}`
    const text = said((target) => {
      target.error(`choked on ${token}`, new Error(`postgresql://vasp:canary@db/x and ${token}`))
      target.warn({ token }, `of ${token}`)
    }).join('')
    expect(text).not.toContain('eyJ')
    expect(text).not.toContain('canary')
  })
})
