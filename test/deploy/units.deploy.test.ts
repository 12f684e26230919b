import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  it('are those of the server, of its backup, of the gateway and of its relay', () => {
    expect(UNITS).toEqual(['vasp-backup.service', 'vasp-gateway.service', 'vasp-relay.service', 'vasp@.service'])
  })

  it.for(['vasp-gateway.service', 'vasp-relay.service'])(
    '%s has a user of its own, a private folder, and settings that only root can read',
    (name) => {
      const unit = readFileSync(join('deploy', name), 'utf8')
      const state = name.replace('.service', '')
      expect(unit).toContain(`DynamicUser=yes\nStateDirectory=${state}\nStateDirectoryMode=0700\n`)
      expect(unit).toMatch(/^LoadCredential=(gateway\.py|relay\.toml):\/etc\/vasp-gateway\/\1$/m)
      expect(unit).toMatch(/^InaccessiblePaths=.*-\/etc\/vasp\/vasp\.env -\/etc\/vasp-gateway /m)
      expect(unit).toMatch(/^Restart=always$/m)
    },
  )

  it.for(UNITS)('%s has no line that systemd does not understand', (name, { skip }) => {
    if (missing !== undefined) return skip(missing)
    const unit = join(folder, name.replace('@.', '@3000.'))
    // The programs are those of a host.
    const text = readFileSync(join('deploy', name), 'utf8').replaceAll(/^(ExecStart(?:Pre)?)=\S+/gm, '$1=/bin/true')
    writeFileSync(unit, text)
    const { status, stderr } = spawnSync(findProgram('systemd-analyze') ?? '', ['verify', '--man=no', unit], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
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
