import { spawnSync } from 'node:child_process'
import { findLnd } from '../../sandbox/lnd/build'

/** Builds LND once for this computer. Returns one line when it cannot be built here. */
export function missingLnd(): string | undefined {
  if (findLnd() !== undefined) return undefined
  const { status, stderr } = spawnSync(process.execPath, ['scripts/ready.mjs', 'sandbox/lnd/build-command.ts'], {
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  return status === 0 && findLnd() !== undefined ? undefined : (stderr.trim().split('\n')[0] ?? 'LND cannot be built.')
}
