import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { pair } from './memory-bank'

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')

let folder: string
const inUser = (...path: readonly string[]): string => join(folder, 'user', ...path)
const installed = (...path: readonly string[]): string => inUser('node_modules', 'uma-auth-vasp', ...path)

/** Packs a copy of the package, with its own build, and installs it beside links to its dependencies. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uma-auth-vasp-'))
  const copy = join(folder, 'copy')
  await cp(PACKAGE, copy, { recursive: true, filter: (from) => !/uma-auth-vasp\/(dist|node_modules)/.test(from) })
  await symlink(MODULES, join(folder, 'node_modules'))
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--silent', '--offline', '--ignore-scripts=false', '--pack-destination', folder],
    {
      cwd: copy,
    },
  )
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  await mkdir(installed(), { recursive: true })
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', installed(), '--strip-components', '1'])
  for (const name of ['jose', 'zod', 'zod-openapi', '@types', 'undici-types'])
    await symlink(join(MODULES, name), inUser('node_modules', name))
  await writeFile(inUser('package.json'), '{ "type": "module" }')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the tarball of npm pack', () => {
  it('holds the build with types, the license, and no sources or tests', async () => {
    const files = await readdir(installed(), { recursive: true })
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts']))
    for (const entry of Object.values(manifest.exports).filter((each) => typeof each === 'object'))
      expect(files).toEqual(expect.arrayContaining([entry.default.slice(2), entry.types.slice(2)]))
    expect(files.filter((name) => /\.test\.|^src|^test|(?<!\.d)\.ts$/.test(name))).toEqual([])
    expect(await readFile(installed('LICENSE'), 'utf8')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'))
  })

  it('names no schema library in the types of the main entry point', async () => {
    const read: string[] = []
    const queue = ['dist/index.d.ts', 'dist/adapters/node-http.d.ts', 'dist/adapters/fetch.d.ts']
    for (const file of queue) {
      const text = await readFile(installed(file), 'utf8')
      const imports = [...text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => name)
      read.push(...imports.filter((name) => !name.startsWith('.')))
      const next = imports
        .filter((name) => name.startsWith('.'))
        .map((name) => join(file, '..', name).replace(/\.[jt]s$/, '.d.ts'))
      queue.push(...next.filter((name) => !queue.includes(name)))
    }
    expect(queue.length).toBeGreaterThan(10)
    expect(new Set(read)).toEqual(new Set(['jose', 'node:http']))
  })

  it('runs in Node through its entry points', async () => {
    const program = `
      import { createUmaAuthVasp, importKeys } from 'uma-auth-vasp'
      import { toNodeHandler } from 'uma-auth-vasp/node-http'
      import { routeHandlers } from 'uma-auth-vasp/next'
      import { openApiDocument } from 'uma-auth-vasp/openapi'
      const { privateKey, publicKey } = JSON.parse(process.argv[1])
      const vasp = createUmaAuthVasp({
        domain: 'bank.example',
        name: 'Bank',
        gatewayRootUrl: 'https://gateway.example',
        keys: await importKeys({ privateKey, publicKey }),
        loginSecret: 'x'.repeat(32),
        currencies: [{ code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }],
        backend: {
          logins: { create() {}, find() {} },
          connections: { create() {}, open() {} },
          getInfo() {},
          estimateBudget() {},
        },
      })
      const response = await routeHandlers(vasp).GET(new Request('https://bank.example/.well-known/uma-configuration'))
      const { nwc_commands_supported: commands } = await response.json()
      console.log(JSON.stringify([response.status, commands, typeof toNodeHandler(vasp), openApiDocument(vasp).openapi]))
    `
    const keys = JSON.stringify({ privateKey: pair.privatePem, publicKey: pair.publicPem })
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, keys], { cwd: inUser() })
    expect(JSON.parse(stdout)).toEqual([200, ['get_info', 'get_budget'], 'function', '3.1.0'])
  })

  it('leads to its build under the conditions of other tools too', async () => {
    const others = [
      'source',
      'development',
      'browser',
      'module',
      'bun',
      'deno',
      'workerd',
      'edge-light',
      'react-server',
    ]
    const names = Object.keys(manifest.exports).map((entry) => entry.replace('.', 'uma-auth-vasp'))
    const program = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => import.meta.resolve(name))))`
    const flags = others.map((name) => `--conditions=${name}`)
    const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '-e', program], { cwd: inUser() })
    const found = (JSON.parse(stdout) as string[]).map((url) => url.split('node_modules/uma-auth-vasp/')[1])
    expect(found).toEqual(
      Object.values(manifest.exports).map((entry) => (typeof entry === 'string' ? entry : entry.default).slice(2)),
    )
  })

  it('type-checks a backend under nodenext and strict, and refuses a wrong one', async () => {
    const program = `
      import { createServer } from 'node:http'
      import { createUmaAuthVasp, importKeys, WalletError, type WalletBackend } from 'uma-auth-vasp'
      import { routeHandlers } from 'uma-auth-vasp/next'
      import { toNodeHandler } from 'uma-auth-vasp/node-http'
      import { openApiDocument } from 'uma-auth-vasp/openapi'
      const backend: WalletBackend<{ id: string }, 'USD'> = {
        logins: { create: async () => 'created', find: async () => 'open' },
        connections: { create: async () => 'created', open: async ({ userId }) => ({ id: userId }) },
        getInfo: () => ({ pubkey: '', network: 'regtest', currencies: [{ code: 'USD', multiplier: 1, min: 1n, max: 9n }] }),
        estimateBudget: (caller, { sendingAmount }) => ({ budgetAmount: caller.id === 'x' ? 1n : sendingAmount }),
        // @ts-expect-error: amounts are bigints
        getBalance: () => ({ amount: 1, currencyCode: 'USD' }),
      }
      const currencies = [{ code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }] as const
      const common = { domain: 'bank.example', name: 'Bank', gatewayRootUrl: 'https://gateway.example', loginSecret: '' }
      const vasp = createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend, openApi: openApiDocument })
      createServer(toNodeHandler(vasp))
      interface Row { readonly id: string }
      const findRow = async (id: string): Promise<Row | null> => (id === '' ? null : { id })
      const openRow = { create: async () => 'created' as const, open: ({ id }: { id: string }) => findRow(id) }
      const { getBalance: _, connections: __, ...methods } = backend
      // @ts-expect-error: null is not a caller
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend: { ...methods, connections: openRow } })
      const wider = { ...backend, getInfo: () => ({ pubkey: '', network: 'regtest', currencies: [{ code: 'EUR', multiplier: 1, min: 1n, max: 9n }] }) } as const
      // @ts-expect-error: EUR is not one of the currencies
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend: wider })
      const openText = { create: async () => 'created' as const, open: async ({ id }: { id: string }) => id }
      // @ts-expect-error: nor is a text
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend: { ...methods, connections: openText } })
      const openFound = { create: async () => 'created' as const, open: async ({ id }: { id: string }) => (await findRow(id)) ?? undefined }
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend: { ...methods, connections: openFound } })
      const twoCodes: WalletBackend<Row, 'USD' | 'EUR'> = { ...methods, connections: openFound } as never
      // @ts-expect-error: the backend may answer in EUR, which is not one of the currencies
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies, backend: twoCodes })
      // @ts-expect-error: nor with a function
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies: async () => currencies, backend: twoCodes })
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies: async () => currencies, backend })
      // A function that returns rows of a database, with any codes.
      const findCurrencies = async (): Promise<{ code: string; symbol: string; name: string; decimals: number }[]> => []
      const anyCode: WalletBackend<Row> = { ...methods, connections: openFound } as never
      createUmaAuthVasp({ ...common, keys: await importKeys({}), currencies: findCurrencies, backend: anyCode })
      const setting = (name: string): string | undefined => process.env[name]
      const isOn = setting('ON') !== undefined
      createUmaAuthVasp({
        ...common,
        keys: await importKeys({ privateKey: setting('A'), publicKey: setting('B'), previousPublicKey: setting('C') }),
        currencies,
        backend: {
          ...backend,
          getBalance: isOn ? backend.getBalance : undefined,
          payInvoice: isOn ? () => ({ preimage: '', totalBudgetAmount: 1n }) : undefined,
          lookupUser: undefined,
          admit: isOn ? () => undefined : undefined,
          commandsOf: isOn ? () => ['get_balance'] : undefined,
        },
        apiBasePath: setting('D'),
        mountPath: setting('E'),
        umaRequestEndpoint: setting('F'),
        umaMajorVersions: undefined,
        log: isOn ? { error: () => undefined } : undefined,
        clock: undefined,
        newId: undefined,
        observe: undefined,
        trace: isOn ? ({ route }) => ({ status }) => console.log(route, status) : undefined,
        allows: undefined,
        ownClaims: undefined,
        callbackTimeoutSeconds: undefined,
        openApi: isOn
          ? (described) => openApiDocument(described, { publicOrigin: setting('G'), version: setting('H'), description: undefined })
          : undefined,
      })
      toNodeHandler(vasp, { headers: undefined })
      new WalletError('INTERNAL', 'x', { retryAfterSeconds: undefined, cause: undefined })
      await vasp.login.finish({
        method: 'POST',
        pending: '',
        sessionBinding: '',
        user: { id: 'a', address: 'b', currencyCode: 'USD' },
        sessionId: setting('I'),
      })
      export const { GET } = routeHandlers(vasp)
      // @ts-expect-error: the status is a number
      export const status: string = (await vasp.fetch(new Request('https://bank.example/'))).status
    `
    await writeFile(inUser('program.ts'), program)
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ]
    const { stdout } = await run(join(MODULES, '.bin/tsc'), [...options, 'program.ts'], { cwd: inUser() }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  it('leaves no build in the repository', async () => {
    expect(await readdir(PACKAGE)).not.toContain('dist')
  })
})
