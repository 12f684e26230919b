import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/shared/processes'
import { environmentOf, startStack, userOf, type Stack } from '../stack/stack'

/** Inside the checkout, so that the packages can be hard links. */
const COPY = resolve('.cache/plain-vasp')
/** A server without the tools refuses the default password of the test users. */
const PASSWORD = 'password-of-a-bank'
const GUIDE = readFileSync('docs/adopt.md', 'utf8')

/** The block of the guide behind this mark, as a reader copies it. */
function block(mark: string): string {
  const [, indent = '', text] =
    new RegExp(`<!-- plain: ${mark} -->\\s*\\n( *)\`\`\`\\w+\\n([^]*?)\`\`\``).exec(GUIDE) ?? []
  if (text === undefined) throw new Error(`docs/adopt.md has no block "${mark}"`)
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

function inCopy(command: string, args: readonly string[]): string {
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' }
  try {
    return execFileSync(command, args, { cwd: COPY, encoding: 'utf8', stdio: 'pipe', env })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

let stack: Stack | undefined
let plain: RunningProcess | undefined

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true })
  const tracked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', tracked, { encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files.filter((each) => existsSync(each))) {
    mkdirSync(dirname(join(COPY, file)), { recursive: true })
    cpSync(file, join(COPY, file))
  }
  execFileSync('cp', ['-al', 'node_modules', join(COPY, 'node_modules')])
}, 300_000)
afterEach(async () => {
  if (plain !== undefined) await stopProcess(plain)
  await stack?.stop()
})
afterAll(() => rmSync(COPY, { recursive: true, force: true }))

it('a copy without the sandbox tools, made as docs/adopt.md says, type-checks, builds, signs in and pays', async () => {
  inCopy('sh', ['-euc', block('commands')])
  writeFileSync(join(COPY, 'components/sandbox-slots.tsx'), block('components/sandbox-slots.tsx'))
  // Generates the database client, as every command does.
  inCopy('node', ['scripts/ready.mjs'])
  inCopy('node', ['scripts/ready.mjs', 'scripts/build.ts'])
  // After the build, which writes the types of the routes.
  inCopy('node', ['node_modules/typescript/bin/tsc', '--noEmit'])

  // The users and their money are from a server with the tools. Its database opens unchanged.
  stack = await startStack({ SANDBOX_PASSWORD: PASSWORD }, 'server.js', { alone: true })
  await stack.kill('VASP')
  const env = {
    ...process.env,
    ...environmentOf(stack),
    SANDBOX_TOOLS: 'off',
    NODE_ENV: 'production' as const,
  }
  plain = startProcess('plain VASP', ['server.js'], env, { cwd: COPY })
  await untilAnswers(plain, `${stack.vaspOrigin}/-/alive`)

  const { vaspOrigin } = stack
  const alice = { ...userOf(stack), password: PASSWORD }
  const bob = { ...alice, username: 'bob' }
  const post = async (user: typeof alice, permission: string, path: string, body: object) => {
    const token = await fetchToken({ ...user, permissions: [permission] })
    const response = await fetch(`${vaspOrigin}/umanwc/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status, await response.clone().text()).toBe(200)
    return (await response.json()) as Record<string, string>
  }
  const { invoice, payment_hash: hash } = await post(bob, 'make_invoice', '/invoice', { amount: 1_000_000 })
  const { preimage = '' } = await post(alice, 'pay_invoice', '/payments/bolt11', { invoice })
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(hash)

  // Each kind of page that has a slot.
  const Cookie = await signIn(alice)
  for (const path of [
    '/',
    '/login',
    '/wallets',
    '/wallets/send',
    '/wallets/receive',
    '/connections',
    '/settings',
    `/wallets/sent/${hash}`,
  ])
    expect([path, (await fetch(vaspOrigin + path, { headers: { Cookie }, redirect: 'manual' })).status]).toEqual([
      path,
      200,
    ])
  for (const path of ['/sandbox', '/developers/wire', '/login/link'])
    expect([path, (await fetch(vaspOrigin + path, { headers: { Cookie } })).status]).toEqual([path, 404])
}, 900_000)
