import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from '../lib/db/lock'
import { reset, type ResetTarget } from './reset'
import { ensureSettings } from './settings'

const KEYS = ['JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY', 'NEXTAUTH_SECRET', 'LIGHTNING_NODE_KEY'] as const

describe('erasing a sandbox', () => {
  let folder: string
  let target: ResetTarget
  const files = (): boolean[] =>
    [join(target.dataDir, 'database'), target.gatewayDir, join(target.dataDir, 'settings.env')].map((path) =>
      existsSync(path),
    )

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vasp-reset-'))
    target = {
      instance: { name: 'Northbank', port: 3000, gatewayRootUrl: 'http://localhost:8080' },
      dataDir: join(folder, 'northbank'),
      gatewayDir: join(folder, 'gateway'),
    }
    ensureSettings(target.instance, target.dataDir)
    for (const path of [join(target.dataDir, 'database'), target.gatewayDir]) {
      mkdirSync(path)
      writeFileSync(join(path, 'kept-by-nobody'), 'x')
    }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('--reset erases data at the VASP and the gateway, and keeps every setting', async () => {
    const before = ensureSettings(target.instance, target.dataDir)
    await reset('data', target, () => {})
    expect(files()).toEqual([false, false, true])
    expect(ensureSettings(target.instance, target.dataDir)).toEqual(before)
  })

  it('--reset=keys renews every key too, and nothing but keys', async () => {
    const before = ensureSettings(target.instance, target.dataDir)
    await reset('keys', target, () => {})
    const after = ensureSettings(target.instance, target.dataDir)
    expect(files()).toEqual([false, false, true])
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const changed = Object.keys(before).filter((name) => before[name] !== after[name])
    expect(changed.toSorted()).toEqual([...KEYS].toSorted())
  })

  it('erases nothing under a server that runs, and nothing for another word', async () => {
    const lock = await lockFolder(target.dataDir)
    await expect(reset('keys', target, () => {})).rejects.toThrow(/./)
    expect(files()).toEqual([true, true, true])
    lock.release()
    await expect(reset('everything', target, () => {})).rejects.toThrow('--reset erases data and keeps keys')
    expect(files()).toEqual([true, true, true])
  })

  it('works before the first run, when there is nothing to erase', async () => {
    rmSync(folder, { recursive: true, force: true })
    await reset('data', target, () => {})
    expect(files()).toEqual([false, false, false])
  })
})
