// Our commands and the sandbox's processes are TypeScript. Compiled to a file each before they start, they need neither a
// loader in the process nor its compiler beside it, which took 30 MB a process for as long as it lived.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Inside the repository, so that packages are found from there. */
export const COMPILED = join('.cache', 'compiled')

/**
 * Compiles each script with what it imports of ours to one file; packages are loaded from node_modules. In a process of
 * its own, so that none of the compiler stays in a demo that runs for hours.
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
 * @param {string} script
 * @returns {string} Where `compile` leaves it.
 */
export function compiledPath(script) {
  return join(COMPILED, script.replace(/\.ts$/, '.mjs'))
}
