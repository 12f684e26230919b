import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from '../../lib/platform/db/lock'
import { readSettingsFile } from '../../lib/platform/environment.js'
import { ensureSandbox } from '../shared/settings'
import { reset, unfinishedReset } from './reset'
import { ensureSouthbank, southbankFolder } from './southbank'

const KEYS = [
  'JWT_PRIVATE_KEY',
  'JWT_PUBLIC_KEY',
  'NEXTAUTH_SECRET',
  'LIGHTNING_NODE_KEY',
  'UMA_SIGNING_KEY',
  'UMA_ENCRYPTION_KEY',
] as const

describe('erasing a sandbox', () => {
  let folder: string
  let env: { readonly DATA_DIR: string }
  const erased = (): string[] => ['database', 'gateway', 'app'].map((name) => join(env.DATA_DIR, name))
  const there = (): boolean[] => [...erased(), join(env.DATA_DIR, 'settings.env')].map((path) => existsSync(path))
  const kept = (): Readonly<Record<string, string>> => readSettingsFile(env.DATA_DIR) ?? {}
  const quiet = (): void => {}

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vasp-reset-'))
    env = { DATA_DIR: join(folder, 'northbank') }
    ensureSandbox(env)
    for (const path of erased()) {
      mkdirSync(path)
      writeFileSync(join(path, 'kept-by-nobody'), 'x')
    }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('--reset erases the data of the VASP and of the processes next to it, and keeps every setting', async () => {
    const before = kept()
    await reset('data', env, quiet)
    expect(there()).toEqual([false, false, false, true])
    expect(kept()).toEqual(before)
  })

  it('--reset erases nothing where the data is on the user’s own server', async () => {
    const before = [there(), kept()]
    const other = { ...env, DATABASE_URL: 'postgresql://localhost/bank' }
    for (const what of ['data', 'keys'] as const)
      await expect(reset(what, other, quiet)).rejects.toThrow(
        'DATABASE_URL names a database that --reset does not erase',
      )
    expect([there(), kept()]).toEqual(before)
  })

  it('--reset keeps only the keys that identify the gateway and the app; --reset=keys keeps none', async () => {
    ensureSouthbank(ensureSandbox(env))
    const southbank = join(southbankFolder(env.DATA_DIR), 'gateway')
    mkdirSync(southbank)
    const keepers = [join(env.DATA_DIR, 'gateway'), join(env.DATA_DIR, 'app'), southbank]
    const relay = join(env.DATA_DIR, 'relay')
    mkdirSync(relay)
    for (const each of keepers) {
      writeFileSync(join(each, 'nostr.key'), `key of ${each}`)
      writeFileSync(join(each, 'state.json'), '{}')
    }
    await reset('data', env, quiet)
    for (const each of keepers) {
      expect(readdirSync(each)).toEqual(['nostr.key'])
      expect(readFileSync(join(each, 'nostr.key'), 'utf8')).toBe(`key of ${each}`)
    }
    expect(existsSync(relay)).toBe(true)
    await reset('keys', env, quiet)
    expect([...keepers, relay].map((each) => existsSync(each))).toEqual([false, false, false, false])
  })

  it('--reset=keys renews every key in the settings, and changes no other setting', async () => {
    const before = kept()
    await reset('keys', env, quiet)
    expect(there()).toEqual([false, false, false, true])
    expect(Object.keys(kept())).toEqual(Object.keys(before))
    const changed = Object.keys(before).filter((name) => before[name] !== kept()[name])
    expect(changed.toSorted()).toEqual([...KEYS].toSorted())
  })

  it('--reset erases Southbank too, and nothing while one of the two runs', async () => {
    ensureSouthbank(ensureSandbox(env))
    const southbank = southbankFolder(env.DATA_DIR)
    const database = join(southbank, 'database')
    mkdirSync(database)
    const keys = (): string | undefined => readSettingsFile(southbank)?.LIGHTNING_NODE_KEY
    const before = keys()
    const lock = await lockFolder(southbank)
    await expect(reset('keys', env, quiet)).rejects.toThrow('is in use')
    expect([...there(), existsSync(database)]).toEqual([true, true, true, true, true])
    lock.release()
    await reset('data', env, quiet)
    expect([existsSync(database), keys()]).toEqual([false, before])
    await reset('keys', env, quiet)
    expect(keys()).not.toBe(before)
  })

  it('--reset=keys that is stopped half-way is known at the next start, until it is complete', async () => {
    ensureSouthbank(ensureSandbox(env))
    // Southbank's new settings cannot be written.
    const obstacle = join(southbankFolder(env.DATA_DIR), 'settings.env.new')
    mkdirSync(obstacle)
    await expect(reset('keys', env, quiet)).rejects.toThrow('EISDIR')
    expect(unfinishedReset(env)).toBe('keys')
    rmSync(obstacle, { recursive: true })
    await reset('keys', env, quiet)
    expect(unfinishedReset(env)).toBeUndefined()
  })

  it('--reset erases nothing while a server runs', async () => {
    const lock = await lockFolder(env.DATA_DIR)
    await expect(reset('keys', env, quiet)).rejects.toThrow('is in use')
    expect(there()).toEqual([true, true, true, true])
    lock.release()
  })

  it('--reset works before the first run, when there is nothing to erase', async () => {
    rmSync(folder, { recursive: true, force: true })
    await reset('data', env, quiet)
    expect(there()).toEqual([false, false, false, false])
  })
})
