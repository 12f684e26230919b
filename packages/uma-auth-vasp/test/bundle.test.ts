import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import type * as Package from '../src/index'
import { createTestVasp, pair } from './memory-bank'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))
const PEMS = { privateKey: pair.privatePem, publicKey: pair.publicPem }

/** Bundles entry points with everything that they import, for a neutral platform. */
function bundle(...entryPoints: readonly string[]) {
  return build({
    entryPoints: entryPoints.map((name) => SRC + name),
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'iife',
    globalName: 'uma',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
}

const WEB_GLOBALS = {
  AbortController,
  ArrayBuffer,
  CryptoKey,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  Uint8Array,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  performance,
  setTimeout,
  structuredClone,
}

describe('the package outside Node', () => {
  it('signs in, exchanges a token and answers a call with web globals only', async () => {
    const { outputFiles } = await bundle('index.ts')
    const context = createContext({ ...WEB_GLOBALS })
    const uma = runInContext(`${outputFiles[0]?.text};uma`, context) as typeof Package
    expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(Array(3).fill('undefined'))

    const { vasp } = createTestVasp({}, { keys: await uma.importKeys(PEMS) }, uma.createUmaAuthVasp)
    const sessionBinding = 'secret-of-this-browser'
    const redirectUri = encodeURIComponent('https://gateway.example/cb')
    const url = `https://bank.example/login?redirect_uri=${redirectUri}`
    const started = await vasp.login.start({ method: 'GET', url }, sessionBinding)
    if (started instanceof Response) throw new Error(await started.text())
    const user = { id: 'alice', address: '$alice@bank.example', currencyCode: 'USD' }
    const sent = await vasp.login.finish({ method: 'POST', pending: started.pending, sessionBinding, user })
    const loginToken = new URL(sent.headers.get('location') ?? '').searchParams.get('token') ?? ''

    const call = async (method: string, path: string, token: string, body?: string) => {
      const headers = { Authorization: `Bearer ${token}` }
      const init = { method, headers, ...(body === undefined ? {} : { body }) }
      const response = await vasp.fetch(new Request(`https://bank.example/umanwc/v1${path}`, init))
      return (await response.json()) as Record<string, unknown>
    }
    const { token } = await call('POST', '/token', loginToken, '{"permissions":["get_balance"]}')
    expect(await call('GET', '/balance', String(token))).toMatchObject({ balance: 12_345 })
  })

  it('imports Node in no file but the node adapter', async () => {
    const { metafile } = await bundle('index.ts', 'openapi.ts', 'adapters/fetch.ts')
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    expect(imports.length).toBeGreaterThan(50)
    expect(imports.filter(({ external, path }) => external === true || path.startsWith('node:'))).toEqual([])
  })
  it('adds at most 175 kB to a bundle, 56 kB of it after gzip', async () => {
    const { outputFiles } = await build({
      entryPoints: [`${SRC}index.ts`],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      external: ['zod-openapi'],
      write: false,
    })
    const code = outputFiles[0]?.contents ?? new Uint8Array()
    expect(code.length).toBeGreaterThan(50_000)
    expect(code.length).toBeLessThanOrEqual(175_000)
    expect(gzipSync(code).length).toBeLessThanOrEqual(56_000)
  })
})
