// Our commands and the sandbox's processes are TypeScript. Each is compiled to one file before it starts, so that it
// needs neither a loader nor the compiler, which would take 30 MB in each running process.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Inside the repository, so that packages are found from there. */
export const COMPILED = join('.cache', 'compiled')

/**
 * Compiles each script, with the modules of this repository that it imports, to one file. Packages are loaded from
 * node_modules. Runs in a child process, so that the compiler occupies no memory in a demo that runs for hours.
 * @param {readonly string[]} scripts Paths below the repository's folder.
 */
export function compile(scripts) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/compile.mjs', ...scripts], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${scripts.join(', ')} cannot be compiled:\n${stderr}`)
}

/**
 * The path that `compile` writes to.
 * @param {string} script
 * @returns {string}
 */
export function compiledPath(script) {
  return join(COMPILED, script.replace(/\.ts$/, '.mjs'))
}
