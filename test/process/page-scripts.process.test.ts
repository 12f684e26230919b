import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const PAGES = '.next/server/app'
/** Compressed. */
const MAX_OWN_BYTES = 8_000

interface Manifest {
  readonly clientModules: Readonly<Record<string, { readonly chunks: readonly string[] }>>
}

/** The scripts of each page beside those that Next adds to every page, by route. */
function scriptsByRoute(): ReadonlyMap<string, ReadonlySet<string>> {
  const context = createContext({})
  runInContext('globalThis.__RSC_MANIFEST = {}', context)
  for (const file of readdirSync(PAGES, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('page_client-reference-manifest.js'))
      runInContext(readFileSync(join(PAGES, file), 'utf8'), context)
  const manifests = runInContext('__RSC_MANIFEST', context) as Readonly<Record<string, Manifest>>
  return new Map(
    Object.entries(manifests).map(([route, { clientModules }]) => {
      const chunks = Object.values(clientModules).flatMap((each) => each.chunks)
      return [route, new Set(chunks.filter((chunk) => chunk.endsWith('.js')))]
    }),
  )
}

function compressedBytes(scripts: ReadonlySet<string>): number {
  const files = [...scripts].map((script) => script.replace('/_next/', '.next/'))
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
}

it('sends at most 8 kB of our own JavaScript with a page', () => {
  const scripts = scriptsByRoute()
  // The page of a failed layout has Next's own components and a few lines of ours.
  const frameworkBytes = compressedBytes(scripts.get('/_global-error/page') ?? new Set())
  expect(frameworkBytes).toBeGreaterThan(0)
  const ownBytes = [...scripts].map(([route, some]) => [route, compressedBytes(some) - frameworkBytes] as const)
  expect(ownBytes.length).toBeGreaterThan(20)
  expect(ownBytes.filter(([, bytes]) => bytes > MAX_OWN_BYTES)).toEqual([])
})
