import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type PackageName = 'uma-auth-vasp' | 'uma-auth-conformance'

const PARTS = ['package.json', 'tsconfig.json', 'src', 'README.md', 'CHANGELOG.md', 'LICENSE']

/**
 * Copies a package, so that it can be packed: `npm pack` builds beside the sources.
 * @returns the folder of the copy.
 */
export function copyToPack(name: PackageName, folder: string): string {
  const copy = join(folder, name)
  mkdirSync(copy, { recursive: true })
  for (const part of PARTS) cpSync(join('packages', name, part), join(copy, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'junction')
  return copy
}

/** Packs a copy as npm would publish it. An npm script that runs the test passes on the root's ignore-scripts. */
export function pack(copy: string, target: string): void {
  runIn(copy, 'npm', 'pack', '--silent', '--ignore-scripts=false', '--pack-destination', target)
}

/** Installs what a folder's package.json names, and further packages. */
export function install(folder: string, ...packages: readonly string[]): void {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  runIn(folder, 'npm', 'install', ...quiet, ...packages)
}

/** Runs a command to its end. @returns what it wrote. @throws Error with its output when it fails. */
export function runIn(cwd: string, command: string, ...args: readonly string[]): string {
  const shell = command === 'npm' && process.platform === 'win32'
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
