import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../lib/db/lock'
import { renewKeys, type Instance } from './settings'

export interface ResetTarget {
  readonly instance: Instance
  readonly dataDir: string
  readonly gatewayDir: string
}

/**
 * `--reset` (that is `data`) erases what people did and keeps the keys; `keys` renews them too.
 * @throws Error for any other word, and while a server holds the folder: nothing is erased under it.
 */
export async function reset(what: string, target: ResetTarget, say: (line: string) => void): Promise<void> {
  if (what !== 'data' && what !== 'keys')
    throw new Error('--reset erases data and keeps keys; --reset=keys renews them too.')
  const { instance, dataDir, gatewayDir } = target
  say(what === 'keys' ? 'Erasing data and renewing keys …' : 'Erasing data; keys are kept …')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(dataDir)
  rmSync(join(dataDir, 'database'), { recursive: true, force: true })
  lock.release()
  rmSync(gatewayDir, { recursive: true, force: true })
  if (what === 'keys') renewKeys(instance, dataDir)
}
