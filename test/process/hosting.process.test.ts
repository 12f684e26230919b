import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runScript } from '../programs/run-script'
import { startStack } from '../stack/stack'

// The commands of docs/host.md, as they are written there, with another settings file.

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vasp-hosting-'))
  file = join(folder, 'vasp.env')
  execFileSync('sh', ['deploy/make-env.sh', file, 'sandbox.example', 'https://gateway.example'], { stdio: 'pipe' })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The commands of the block that contains this text. */
function commandsWith(text: string): string {
  const blocks = readFileSync('docs/host.md', 'utf8').split(/^ *```(?:sh)?\n/m)
  const block = blocks.find((each, index) => index % 2 === 1 && each.includes(text)) ?? ''
  expect(block, text).not.toBe('')
  return block.replaceAll('/etc/vasp/vasp.env', file).replaceAll('cd /srv/vasp/current', ':')
}

function run(commands: string, env: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env
  return spawnSync('sh', ['-euc', commands], { env: { NODE_ENV: 'test', PATH, HOME, ...env }, encoding: 'utf8' })
}

describe('the commands of docs/host.md', () => {
  it.each(['Acme Bank', "'Acme Bank of the North'", '"Bank 2"', 'A  B'])('take a name with a blank: %s', (name) => {
    const text = readFileSync(file, 'utf8').replace(/^VASP_NAME=.*/m, `VASP_NAME=${name}`)
    writeFileSync(file, text)
    const { status, stdout, stderr } = run(commandsWith('gateway:config'))
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`VASP_NAME = "${name.replaceAll(/^['"]|['"]$/g, '')}"`)
    const key = parseEnv(text).JWT_PUBLIC_KEY ?? ''
    expect(stdout).toContain(key.split('\\n')[1])
    // No server and no database: the command has read the name and got as far as it could.
    const users = run(commandsWith('npm run users -- list').replace('npm run audit', ''), {
      PORT: '9',
      DATABASE_URL: 'postgresql://127.0.0.1:9/none',
      NEXTAUTH_URL: 'https://127.0.0.1:9',
      VASP_DOMAIN: '127.0.0.1:9',
    })
    expect([users.status, users.stderr]).toEqual([2, expect.stringMatching(/^DATABASE_URL: no server answers there/)])
  })

  it('say which file they cannot read', () => {
    const { status, stderr } = run('npm run --silent users -- list', { SETTINGS_FILE: join(folder, 'other.env') })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^SETTINGS_FILE: .*other\.env cannot be read \(ENOENT\)/),
    ])
  })

  it('create the database without showing the password in the list of processes', () => {
    const [log, input] = [join(folder, 'arguments'), join(folder, 'input')]
    // Each program that could be started with the password, except the shell's own commands.
    for (const name of ['su', 'psql', 'sudo', 'createuser', 'createdb', 'sed', 'env', 'grep'])
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\nfor each; do printf '%s\\n' "$each" >> ${log}; done\n` +
          (name === 'su' || name === 'psql' ? `cat > ${input}` : `exec /usr/bin/${name} "$@"`),
        { mode: 0o755 },
      )
    const { status } = run(commandsWith('create role'), { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` })
    const password = parseEnv(readFileSync(file, 'utf8')).POSTGRES_PASSWORD ?? ''
    expect([status, password.length]).toEqual([0, 32])
    expect(readFileSync(log, 'utf8')).not.toContain(password)
    expect(readFileSync(input, 'utf8')).toBe(
      `create role vasp login password '${password}'; create database vasp owner vasp;\n`,
    )
  })
})

it('a hosted server does not say that it is on the own machine, and names its build everywhere', async () => {
  const stack = await startStack(
    {
      VASP_DOMAIN: 'sandbox.example',
      NEXTAUTH_URL: 'https://sandbox.example',
      SANDBOX_TOOLS: 'off',
      GATEWAY_ROOT_URL: 'https://gateway.example',
    },
    'server.js',
    { alone: true },
  )
  const port = Number(new URL(stack.vaspOrigin).port)
  try {
    const page = await textAt(port, '/', 'sandbox.example')
    expect(page).toContain('A complete UMA Auth wallet server.')
    expect(page).not.toContain('own machine')
    const { version, commit } = JSON.parse(await textAt(port, '/-/ready')) as Record<string, string>
    expect([version, commit]).toEqual([
      (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
      expect.stringMatching(/^([0-9a-f]{40}(-dirty)?|unknown)$/),
    ])
    expect(page.replaceAll('<!-- -->', '')).toContain(`Version ${version}`)
  } finally {
    await stack.stop()
  }
})

/** The answer of a server that a proxy would ask under this name. */
async function textAt(port: number, path: string, host = 'localhost'): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, headers: { Host: host } }, resolve).once('error', reject)
  })
  return readText(response)
}

it('a command says that it does not trust the certificate of the server, and works when it is told to', async () => {
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
  const what = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-nodes']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', ...kind, ...what, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://localhost')
    if (pathname === '/connect') response.writeHead(303, { Location: 'http://localhost:8080/cb?token=login' })
    if (pathname === '/api/auth/callback/credentials')
      response.setHeader('Set-Cookie', '__Host-northbank.session=1; Path=/; Secure')
    response.end(pathname === '/-/users' ? '{"done":true,"lines":["alice"]}' : '{"csrfToken":"x","token":"the-token"}')
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const host = `localhost:${(server.address() as AddressInfo).port}`
  const env = {
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    NEXTAUTH_URL: `https://${host}`,
    VASP_DOMAIN: host,
    DATA_DIR: folder,
    PORT: '9',
  }
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificate }
  const untrusted = /certificate of the server is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): .*NODE_EXTRA_CA_CERTS/
  const refused = await runScript('scripts/token.ts', env, ['bob'])
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(untrusted)])
  expect((await runScript('scripts/users.ts', env, ['list'])).err).toMatch(untrusted)
  expect(await runScript('scripts/token.ts', trusting, ['bob'])).toEqual({ code: 0, out: 'the-token', err: '' })
  expect(await runScript('scripts/users.ts', trusting, ['list'])).toEqual({ code: 0, out: 'alice', err: '' })
  server.close()
})
