import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../lib/db/lock'
import { dataDirOf } from '../lib/environment.js'
import { folderOf } from './demo-processes'
import { renewKeys, type Environment } from './settings'

/** The processes beside the VASP that keep something. */
const KEEPERS = ['gateway', 'app']

/**
 * `data` erases what people did and keeps the keys; `keys` renews them too.
 * @throws Error while a server holds the folder: nothing is erased under it.
 */
export async function reset(what: 'data' | 'keys', env: Environment, say: (line: string) => void): Promise<void> {
  say(what === 'keys' ? 'Erasing data and renewing keys …' : 'Erasing data; keys are kept …')
  const dataDir = dataDirOf(env)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(dataDir)
  rmSync(join(dataDir, 'database'), { recursive: true, force: true })
  lock.release()
  for (const name of KEEPERS) rmSync(folderOf(name, dataDir), { recursive: true, force: true })
  if (what === 'keys') renewKeys(env)
}
