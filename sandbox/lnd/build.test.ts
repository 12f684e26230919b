import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureLnd, findLnd } from './build'

const quiet = (): void => {}

describe('the build of LND', () => {
  let folder: string
  let env: NodeJS.ProcessEnv
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lnd-build-'))
    env = { NODE_ENV: 'test', PATH: `${folder}:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, 'cache') }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** A program that answers as Go does. Each build is one line of `builds`. */
  function installGo(version: string, build = 'for last; do :; done; :'): void {
    const script = `#!/bin/sh
case "$1" in
  version) echo "go version go${version} linux/amd64" ;;
  mod) echo "go: downloading" >&2; echo '{ "Dir": "${folder}" }' ;;
  build)
    echo build >> "${folder}/builds"
    while [ "$1" != -o ]; do shift; done
    ${build}
    sleep 2
    echo program > "$2/lnd"; echo program > "$2/btcd" ;;
esac`
    writeFileSync(join(folder, 'go'), script)
    chmodSync(join(folder, 'go'), 0o755)
  }
  const cached = (): string[] =>
    readdirSync(join(folder, 'cache', 'uma-sandbox-vasp')).filter((name) => name !== 'build')

  it('asks in one line for a Go that is missing or too old', async () => {
    env.PATH = folder
    await expect(ensureLnd(quiet, quiet, env)).rejects.toThrow(
      /^Real Lightning nodes are built with Go 1\.21 or newer: .*\.$/,
    )
    installGo('1.19.8')
    await expect(ensureLnd(quiet, quiet, { ...env, PATH: `${folder}:/bin` })).rejects.toThrow(/ This is Go 1\.19\.$/)
    expect(existsSync(join(folder, 'cache'))).toBe(false)
  })

  it('happens once, although two starts begin it together, and needs no Go afterwards', async () => {
    installGo('1.26.0')
    const lines: string[] = []
    const [one, two] = await Promise.all([1, 2].map(() => ensureLnd((line) => lines.push(line), quiet, env)))
    expect(one).toEqual(two)
    expect(readFileSync(one?.lnd ?? '', 'utf8')).toBe('program\n')
    expect(readFileSync(join(folder, 'builds'), 'utf8')).toBe('build\n')
    expect(lines.join('\n')).toContain('Waiting for process')
    rmSync(join(folder, 'go'))
    expect(await ensureLnd(quiet, quiet, env)).toEqual(findLnd(env))
    expect(cached()).toHaveLength(1)
  })

  it('that fails leaves nothing behind, and says why', async () => {
    installGo('1.26.0', 'echo "no such package" >&2; exit 1')
    await expect(ensureLnd(quiet, quiet, env)).rejects.toThrow(/no such package\n.*GOPROXY/)
    expect(findLnd(env)).toBeUndefined()
    expect(cached()).toEqual([])
  })
})
