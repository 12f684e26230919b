import { expect, it } from 'vitest'
import { activityBelow, parsePs, processRow } from './process-table.mjs'

it('finds this process below its parent', () => {
  expect(processRow(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid, suspended: false })
})

it('identifies a process by the time of its start', () => {
  expect(processRow(process.pid)?.startedAt).toBe(processRow(process.pid)?.startedAt)
  expect(processRow(process.pid)?.startedAt).not.toBe(processRow(process.ppid)?.startedAt)
})

it('counts the processor time of descendants', () => {
  const own = processRow(process.pid)?.cpuMs ?? Infinity
  expect(activityBelow(process.ppid)?.cpuMs).toBeGreaterThanOrEqual(own)
})

it('reports nothing for a process that has ended', () => {
  // Above the highest process id of Linux and macOS.
  expect(activityBelow(2 ** 30)).toBeUndefined()
})

it('reads the output of ps on macOS', () => {
  const text = `    1     0 Ss     1:02.50 Wed Nov 25 09:00:00 2026
  812     1 T   1-02:03:04 Wed Nov 25 17:26:04 2026
  813   812 Z      0:00.00 Wed Nov 25 17:26:05 2026
`
  expect(parsePs(text)).toEqual([
    { pid: 1, parent: 0, cpuMs: 62_500, startedAt: 'Wed Nov 25 09:00:00 2026', suspended: false },
    { pid: 812, parent: 1, cpuMs: 93_784_000, startedAt: 'Wed Nov 25 17:26:04 2026', suspended: true },
  ])
})
