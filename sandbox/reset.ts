import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../lib/db/lock'
import { dataDirOf } from '../lib/environment.js'
import { folderOf } from './folders'
import { renewKeys, type Environment } from './settings'
import { southbankFolder } from './southbank'

/** The processes beside the VASP that keep something. */
const KEEPERS = ['gateway', 'app']

/**
 * `data` erases what people did, at Southbank too, and keeps the keys; `keys` renews them too.
 * @throws Error while a server holds the folder: nothing is erased under it.
 */
export async function reset(what: 'data' | 'keys', env: Environment, say: (line: string) => void): Promise<void> {
  say(what === 'keys' ? 'Erasing data and renewing keys …' : 'Erasing data; keys are kept …')
  const own = dataDirOf(env)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const dataDirs = [own, southbankFolder(own)].filter((each) => existsSync(each))
  // Every folder is ours before anything is erased in one.
  const locks: { release(): void }[] = []
  try {
    for (const dataDir of dataDirs) locks.push(await lockFolder(dataDir))
    for (const dataDir of dataDirs) rmSync(join(dataDir, 'database'), { recursive: true, force: true })
  } finally {
    for (const lock of locks) lock.release()
  }
  for (const dataDir of dataDirs) {
    for (const name of KEEPERS) rmSync(folderOf(name, dataDir), { recursive: true, force: true })
    if (what === 'keys') renewKeys({ DATA_DIR: dataDir })
  }
}
