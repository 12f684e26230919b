import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

it(
  'deploy/gateway.sh starts the gateway when its relay answers, and not before',
  { timeout: 30_000 },
  async ({ skip }) => {
    const missing = missingPackages(['python3'])
    if (missing !== undefined) return skip(missing)
    const folder = mkdtempSync(join(tmpdir(), 'vasp-gateway-'))
    const [port, log] = [await freePort(), join(folder, 'log')]
    writeFileSync(join(folder, 'gateway.py'), `RELAY = "ws://127.0.0.1:${port}"\n`)
    writeFileSync(log, '')
    const program = (name: string, text: string): void =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    for (const name of ['alembic', 'uvicorn']) program(name, `echo "${name} $*" >> '${log}'`)
    program('python', 'exec python3 "$@"')
    const child = spawn('sh', ['deploy/gateway.sh'], {
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, QUART_CONFIG: join(folder, 'gateway.py') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const relay = createServer((_, response) => response.end('Please use a Nostr client to connect.'))
    try {
      const ended = once(child, 'exit')
      const [said] = (await once(child.stderr, 'data')) as [Buffer]
      expect(said.toString()).toMatch(/^The relay ws:\/\/127\.0\.0\.1:\d+ does not answer yet: /)
      expect(readFileSync(log, 'utf8')).toBe('')
      await new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve))
      expect(await ended).toEqual([0, null])
      expect(readFileSync(log, 'utf8').split('\n')).toEqual([
        'alembic upgrade head',
        'uvicorn nwc_backend.server:app --host 127.0.0.1 --port 8090 --no-access-log',
        '',
      ])
    } finally {
      child.kill()
      relay.close()
      rmSync(folder, { recursive: true })
    }
  },
)
