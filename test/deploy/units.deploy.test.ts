import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProgram, missingPackages } from '../programs/debian'

const missing = missingPackages(['systemd-analyze'])
const UNITS = readdirSync('deploy').filter((name) => name.endsWith('.service'))
/** Of ten, which is no protection at all. */
const MOST_EXPOSED = 4.0

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vasp-units-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the units of deploy/', () => {
  it('are those of the server and of its backup', () => {
    expect(UNITS).toEqual(['vasp-backup.service', 'vasp@.service'])
  })

  it.for(UNITS)(`%s is exposed by at most ${MOST_EXPOSED}, as systemd-analyze counts it`, (name, { skip }) => {
    if (missing !== undefined) return skip(missing)
    // A template is checked as one of its instances.
    const unit = join(folder, name.replace('@.', '@3000.'))
    cpSync(join('deploy', name), unit)
    const args = ['security', '--offline=true', '--no-pager', unit]
    const text = execFileSync(findProgram('systemd-analyze') ?? '', args, { encoding: 'utf8' })
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(text) ?? []
    expect(Number(exposure)).toBeGreaterThan(0)
    expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSED)
  })

  it('hourly is a time that systemd reads', ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const { status, stdout } = spawnSync(findProgram('systemd-analyze') ?? '', ['calendar', 'hourly'], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining('*-*-* *:00:00')])
  })
})
