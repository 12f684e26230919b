import { join } from 'node:path'

/**
 * The data folder of a process next to the VASP: next to the folder of the first instance, but inside the folder of
 * any other, so that two demos share no data.
 */
export function folderOf(name: string, dataDir: string): string {
  return dataDir === join('.data', 'northbank') ? join('.data', name) : join(dataDir, name)
}

/** Keeps the chain of a demo with real Lightning nodes, and their wallets and channels. */
export function lightningFolder(dataDir: string): string {
  return join(dataDir, 'lightning')
}
