import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { compile, compiledPath } from '../../scripts/compiled.mjs'
import { expect, gatewayOrigin, signInAtVasp, test, vaspOrigin } from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'

const COMMAND = 'scripts/token.ts'
test.beforeAll(() => compile([COMMAND]))

/** Runs `npm run token` against the server of these tests. */
async function tokenCommand(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [compiledPath(COMMAND), ...args], {
    env: {
      ...process.env,
      DATA_DIR: sharedStack().settings.DATA_DIR,
      NEXTAUTH_URL: vaspOrigin(),
      GATEWAY_ROOT_URL: gatewayOrigin(),
      VASP_NAME: 'Northbank',
    },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, out: out.trim(), err: err.trim() }
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

test('the token command prints a token of a real connection, and nothing else', async () => {
  const { code, out, err } = await tokenCommand(['alice', '--permissions', 'get_info,get_balance'])
  expect([code, err]).toEqual([0, ''])
  expect(claimsOf(out)).toMatchObject({ sub: 'alice', scope: 'get_info get_budget get_balance' })
  expect(claimsOf(out)).not.toHaveProperty('exp')
  const response = await fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${out}` } })
  expect(response.status).toBe(200)
})

test('a connection created by the token command is labelled as such, in the notice and on the connections page', async ({
  page,
}) => {
  await signInAtVasp(page, 'Khalid')
  await page.goto(`${vaspOrigin()}/connections`)
  const made = page.getByText('created by npm run token')
  const before = await made.count()
  expect((await tokenCommand(['khalid', '--permissions', 'get_info'])).code).toBe(0)
  await expect(page.getByText('New connection:')).toBeVisible()
  await expect(made).toHaveCount(before + 1)
})

test('the token command sets the requested expiry, and rejects an invalid one', async () => {
  const end = Math.floor(Date.now() / 1000) + 3_600
  expect(claimsOf((await tokenCommand(['bob', '--expiration', String(end)])).out).exp).toBe(end)
  for (const text of ['1h', '', 'NaN', '1e9', '-5', '12.5', 'tomorrow', '0x7fffffff']) {
    const { code, out, err } = await tokenCommand(['alice', `--expiration=${text}`])
    expect([code, out], text).toEqual([2, ''])
    expect(err, text).toMatch(
      /^--expiration is a whole number of seconds, such as 3600 for an hour\. For help, run: npm run token -- --help$/,
    )
  }
  const past = await tokenCommand(['alice', '--expiration', String(end - 7_200)])
  expect([past.code, past.out]).toEqual([2, ''])
})

test('the token command explains a missing user name and a refused sign-in', async () => {
  expect((await tokenCommand([])).err).toMatch(
    /^Name one user, such as alice\. For help, run: npm run token -- --help$/,
  )
  expect((await tokenCommand(['alice', '--password', 'wrong'])).err).toMatch(/^Sign-in as alice was refused/)
})

test('the token command rejects an unknown permission', async () => {
  const { code, out, err } = await tokenCommand(['alice', '--permissions', 'get_balance,pay_invoce'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(
    /^--permissions: there is no command pay_invoce\. There are get_info, .+\. For help, run: npm run token -- --help$/,
  )
  const other = await tokenCommand(['alice', '--permissions', 'get_transactions'])
  expect(claimsOf(other.out).scope).toBe('get_info get_budget list_transactions')
})
