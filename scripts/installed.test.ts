import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasAll, isInstalled } from './installed.mjs'

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string
        readonly link?: true
        readonly optionalDependencies?: Readonly<Record<string, string>>
      }
    >
  >
}

const locked = {
  '': {},
  'node_modules/pg': { version: '2.0.0' },
  'node_modules/prettier': { version: '3.0.0', dev: true },
  'node_modules/fsevents': { version: '1.0.0', optional: true },
}

describe('installed packages', () => {
  it('are complete when only binaries for other platforms are missing', () => {
    const installed = { 'node_modules/pg': { version: '2.0.0' }, 'node_modules/prettier': { version: '3.0.0' } }
    expect(hasAll(locked, installed, { withDev: true })).toBe(true)
  })

  it('are incomplete when a package is missing or has another version', () => {
    const prettier = { version: '3.0.0' }
    expect(hasAll(locked, { 'node_modules/prettier': prettier }, { withDev: true })).toBe(false)
    const old = { 'node_modules/pg': { version: '1.0.0' }, 'node_modules/prettier': prettier }
    expect(hasAll(locked, old, { withDev: true })).toBe(false)
  })

  it('may lack development packages when only run-time packages are needed', () => {
    const installed = { 'node_modules/pg': { version: '2.0.0' } }
    expect(hasAll(locked, installed, { withDev: true })).toBe(false)
    expect(hasAll(locked, installed, { withDev: false })).toBe(true)
  })

  it('are complete while the tests run', () => {
    expect(isInstalled({ withDev: true })).toBe(true)
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile

  it('names the optional packages of every platform, so that `npm ci` works on each', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => packages[`${path}/node_modules/${name}`] === undefined)
        .filter((name) => packages[`node_modules/${name}`] === undefined)
        .map((name) => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([])
  })
})

describe('a package of this repository', () => {
  const folders = readdirSync('packages').map((name) => join('packages', name))

  it('is linked, so that a change to it needs no installation', () => {
    for (const folder of folders)
      expect(realpathSync(join('node_modules', folder.slice('packages/'.length)))).toBe(resolve(folder))
  })

  it('leads this repository to its sources by a condition that no other tool sets, and everyone else to its build', () => {
    for (const folder of folders) {
      const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
      }
      const compiled = Object.values(entries).filter((entry) => typeof entry === 'object')
      expect(compiled).not.toEqual([])
      for (const { 'uma-auth-source': source = '', ...rest } of compiled) {
        expect([source, existsSync(join(folder, source))]).toEqual([source, true])
        const built = source.replace('/src/', '/dist/').replace(/\.ts$/, '')
        expect(rest).toEqual({ types: `${built}.d.ts`, default: `${built}.js` })
      }
    }
  })
})
