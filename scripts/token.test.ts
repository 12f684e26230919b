import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'token-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const BODIES = new Map([
  ['/api/auth/csrf', '{"csrfToken":"x"}'],
  ['/umanwc/v1/token', '{"token":"the-token"}'],
])

/** `npm run token` in an empty folder, with nothing but this environment and this text on standard input. */
async function token(
  env: Readonly<Record<string, string>>,
  more: readonly string[] = [],
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  const args = [resolve(scriptPath('scripts/token.ts')), 'bob', '--permissions', 'get_info', ...more]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
  })
  child.stdin.end(input)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, out: out.trim(), err: err.trim() }
}

/** A server that answers each step of a sign-in and collects the passwords. */
async function withServer(run: (env: Record<string, string>, passwords: readonly string[]) => Promise<void>) {
  const passwords: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/connect') response.writeHead(303, { Location: 'http://localhost:8080/cb?token=login' })
    if (pathname === '/api/auth/callback/credentials') {
      passwords.push(new URLSearchParams(await text(request)).get('password') ?? '')
      response.setHeader('Set-Cookie', 'teambank.session=1; Path=/')
    }
    response.end(BODIES.get(pathname))
  }
  const server = createServer((...call) => void answer(...call)).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const NEXTAUTH_SECRET = 'a secret of thirty-two characters'
  try {
    await run({ VASP_NAME: 'Teambank', PORT: String(port), NEXTAUTH_SECRET }, passwords)
  } finally {
    server.close()
  }
}

it('prints a token of a server that is configured by its environment, without a settings file', () =>
  withServer(async (env) => expect(await token(env)).toEqual({ code: 0, out: 'the-token', err: '' })))

it('signs in with the printed password, or with the first line of standard input when asked to', () =>
  withServer(async (env, passwords) => {
    const printed = { ...env, SANDBOX_PASSWORD: 'the printed one' }
    expect((await token(printed, [], 'not read\n')).code).toBe(0)
    expect((await token(printed, ['--password-stdin'], 'a päss wörd\r\nnot the password\n')).code).toBe(0)
    expect(passwords).toEqual(['the printed one', 'a päss wörd'])
  }))

it('names its DATA_DIR, the existing data folders and what to do', async () => {
  mkdirSync(join(folder, '.data', 'otherbank'), { recursive: true })
  writeFileSync(join(folder, '.data', 'otherbank', 'settings.env'), '')
  const { code, out, err } = await token({ VASP_NAME: 'Teambank' })
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`There is no settings.env in ${join('.data', 'teambank')}. Set DATA_DIR`)
  expect(err).toContain('give this command the environment of the running server')
  expect(err).toContain(`Folders with a settings.env: ${join('.data', 'otherbank')}.`)
})
