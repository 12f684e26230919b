import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CASES } from './cases/index.ts'
import { runCommandLine } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'conformance-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

async function run(...args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const code = await runCommandLine(
    args,
    { PASSWORD: 'wonderland-7' },
    { write: (text) => void (out += text), colours: false },
  )
  return { code, out }
}

const recipe = fileOf(
  'recipe.json',
  JSON.stringify({ users: [{ steps: [{ fields: { name: 'alice', password: 'env:PASSWORD' } }] }] }),
)

describe('the command line', () => {
  it('prints every case for --list', async () => {
    const { code, out } = await run('--list')
    expect(code).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(CASES.length)
  })

  it('runs the cases of --only and their dependencies, without those of --skip', async () => {
    const { out } = await run(
      '--list',
      '--only',
      'discovery.one-gateway,login.head',
      '--skip',
      'discovery.token-endpoint',
    )
    expect(out).toContain('discovery.served')
    expect(out).toContain('login.head')
    expect(out).toContain('login.sign-in')
    expect(out).not.toContain('discovery.token-endpoint')
    expect(out).not.toContain('discovery.name ')
  })

  it('explains a case with its sentence from the specification', async () => {
    const { out } = await run('--explain', 'login.foreign')
    expect(out).toContain(
      'The login endpoint must check that `redirect_uri` comes from the gateway before it issues a token.',
    )
  })

  it.each([
    ['an unknown option', ['--no-such-option'], /^Unknown option '--no-such-option'/],
    ['no VASP', ['--sign-in', recipe], /^--vasp ORIGIN is missing/],
    ['a VASP with a path', ['--vasp', 'http://localhost:1/x', '--sign-in', recipe], /has a path/],
    ['no sign-in', ['--vasp', 'http://localhost:1'], /^Tell the kit how to sign in/],
    [
      'two ways to sign in',
      ['--vasp', 'http://localhost:1', '--sign-in', recipe, '--interactive'],
      /exclude each other/,
    ],
    [
      'a recipe file that does not exist',
      ['--vasp', 'http://localhost:1', '--sign-in', join(folder, 'none')],
      /cannot be read \(ENOENT\)/,
    ],
    [
      'a recipe that is not JSON',
      ['--vasp', 'http://localhost:1', '--sign-in', fileOf('bad.json', '{')],
      /recipe is not JSON/,
    ],
    [
      'a recipe in another format',
      ['--vasp', 'http://localhost:1', '--sign-in', fileOf('form.json', '{"users":[]}')],
      /recipe is not valid at users/,
    ],
    [
      'a variable that is not set',
      [
        '--vasp',
        'http://localhost:1',
        '--sign-in',
        fileOf('env.json', '{"users":[{"steps":[{"fields":{"a":"env:NONE"}}]}]}'),
      ],
      /reads the environment variable NONE, which is not set/,
    ],
    [
      'an unknown case',
      ['--vasp', 'http://localhost:1', '--sign-in', recipe, '--only', 'no.case'],
      /There is no case or area no\.case/,
    ],
    [
      'a malformed key',
      ['--vasp', 'http://localhost:1', '--sign-in', recipe, '--jwt-public-key', recipe],
      /holds no public key/,
    ],
    ['an unknown level', ['--vasp', 'http://localhost:1', '--fail-on', 'option'], /^--fail-on takes must or should/],
    ['a rate of none', ['--vasp', 'http://localhost:1', '--rate', '0'], /^--rate is a whole number from 1 to 1000/],
    ['--interactive without a gateway', ['--vasp', 'http://localhost:1', '--interactive'], /needs --gateway/],
  ])('exits with 2 and prints one line for %s', async (_name, args, message) => {
    const { code, out } = await run(...args)
    expect(code).toBe(2)
    expect(out).toMatch(message)
  })

  it('exits with 2 against a VASP that is down, and writes three reports without the password', async () => {
    const files = ['html', 'junit', 'json'].map((kind) => [`--${kind}`, join(folder, `report.${kind}`)] as const)
    const { code, out } = await run('--vasp', 'http://localhost:1', '--sign-in', recipe, ...files.flat())
    expect(code).toBe(2)
    expect(out).toMatch(/\nCould not run\. Nothing answers at .* Start the VASP, or correct its address \(--vasp\)\.\n/)
    expect(out).not.toContain('conform.')
    expect(out).toContain('(1 of ')
    expect(out).not.toContain('(2 of ')
    for (const [, file] of files) {
      const text = readFileSync(file, 'utf8')
      expect(text).toContain('discovery.served')
      expect(text).not.toContain('wonderland-7')
    }
    const junit = readFileSync(files[1]?.[1] ?? '', 'utf8')
    expect(junit).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites /)
    expect(junit).toContain('failures="0" errors="1"')
    expect(junit).toContain('<error message="Could not run. Nothing answers at')
  })

  it.each([
    [
      'has no form with the fields of the recipe',
      '<h1>Sign in</h1>',
      200,
      2,
      'has no form with the fields name, password',
    ],
    [
      'shows its form again',
      '<form method="post"><input name="name"><input name="password"></form>',
      200,
      2,
      'Correct the user name, the password or the steps of the recipe',
    ],
    ['answers 500', 'Internal error', 500, 1, 'Sign-in ended at'],
  ])(
    'distinguishes a wrong recipe from a fault of the VASP: the sign-in page %s',
    async (_name, page, status, exitCode, text) => {
      let visits = 0
      const vasp = createServer((request, response) => {
        if (request.url?.startsWith('/connect') === true && request.method === 'GET') visits += 1
        response.writeHead(request.url?.startsWith('/connect') === true ? status : 404).end(page)
      })
      await new Promise<void>((resolve) => vasp.listen(0, 'localhost', resolve))
      const origin = `http://localhost:${(vasp.address() as AddressInfo).port}`
      const { code, out } = await run(
        '--vasp',
        origin,
        '--gateway',
        'http://localhost:1',
        '--sign-in',
        recipe,
        '--only',
        'login',
      )
      vasp.close()
      expect(out).toContain(text)
      expect(code).toBe(exitCode)
      if (exitCode === 1) return
      expect(out).toContain('\nCould not run. Signing in the first user')
      expect(visits).toBe(1)
    },
  )

  it('describes in words what a case needs', async () => {
    const { out } = await run('--explain', 'login.silent')
    expect(out).toContain('Needs: a sign-in recipe (--sign-in), because it uses the session of the user\n')
  })
})
