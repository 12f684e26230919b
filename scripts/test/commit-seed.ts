import { spawnSync } from 'node:child_process'
import { hashOfSources } from '../../sandbox/demo/build'

/** Seven hexadecimal digits of the hash of the commit; where git is missing, from the hash of the sources of the build. */
export function seedOfCommit(folder = '.'): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  return Number.parseInt((status === 0 ? stdout : hashOfSources()).slice(0, 7), 16)
}
