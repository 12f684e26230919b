import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../../lib/platform/db/lock'
import { completeEnvironment, dataDirOf, readSettingsFile } from '../../lib/platform/environment.js'
import { replaceFile } from '../shared/replace-file'
import { renewKeys, type Environment } from '../shared/settings'
import { folderOf, lightningFolder } from './folders'
import { southbankFolder } from './southbank'

/** The data folders of the processes next to the VASP. */
const KEEPERS = ['gateway', 'app']
/** Erased only with the keys: its events are public, and a running gateway needs them. */
const RELAY = 'relay'
/** The files with the keys that identify the gateway and the app on the relay. */
const NOSTR_KEY = 'nostr.key'

/**
 * `data` erases what users did, at Southbank too, and keeps the keys; `keys` also renews the keys.
 * @throws Error, before anything is erased, while a server locks the folder, and when the data is on the user's own
 * server, because only a part of the data would be erased.
 */
export async function reset(what: 'data' | 'keys', env: Environment, say: (line: string) => void): Promise<void> {
  refuseForeignDatabase(env)
  say(what === 'keys' ? 'Erasing data and renewing keys …' : 'Erasing data; keys are kept …')
  const own = dataDirOf(env)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const dataDirs = [own, southbankFolder(own)].filter((each) => existsSync(each))
  // Every folder is locked before anything is erased in one.
  const locks: { release(): void }[] = []
  try {
    for (const dataDir of dataDirs) locks.push(await lockFolder(dataDir))
    replaceFile(unfinishedPath(env), what)
    for (const dataDir of dataDirs) rmSync(join(dataDir, 'database'), { recursive: true, force: true })
  } finally {
    for (const lock of locks) lock.release()
  }
  for (const dataDir of dataDirs) {
    for (const name of KEEPERS) eraseKept(what, folderOf(name, dataDir))
    if (what === 'data') continue
    rmSync(folderOf(RELAY, dataDir), { recursive: true, force: true })
    renewKeys({ DATA_DIR: dataDir })
  }
  // The keys of the real nodes are in their wallets, with the channels.
  if (what === 'keys') rmSync(lightningFolder(own), { recursive: true, force: true })
  rmSync(unfinishedPath(env))
}

/** The reset that was stopped half-way, if any. Without the rest of it, the two VASPs' books would contradict each other. */
export function unfinishedReset(env: Environment): 'data' | 'keys' | undefined {
  const path = unfinishedPath(env)
  if (!existsSync(path)) return undefined
  return readFileSync(path, 'utf8') === 'keys' ? 'keys' : 'data'
}

function unfinishedPath(env: Environment): string {
  return join(dataDirOf(env), 'demo', 'unfinished-reset')
}

function refuseForeignDatabase(env: Environment): void {
  const { DATABASE_URL: url = '' } = completeEnvironment(env, readSettingsFile(dataDirOf(env)) ?? {})
  if (url !== '')
    throw new Error(
      'DATABASE_URL names a database that --reset does not erase, so nothing was erased. Empty that database yourself.',
    )
}

function eraseKept(what: 'data' | 'keys', folder: string): void {
  if (what === 'keys' || !existsSync(join(folder, NOSTR_KEY))) return rmSync(folder, { recursive: true, force: true })
  for (const name of readdirSync(folder))
    if (name !== NOSTR_KEY) rmSync(join(folder, name), { recursive: true, force: true })
}
