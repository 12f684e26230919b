import { join } from 'node:path'

/**
 * The data folder of a process next to the VASP: next to the first instance's folder, and inside any other's, so that
 * two demos share none.
 */
export function folderOf(name: string, dataDir: string): string {
  return dataDir === join('.data', 'northbank') ? join('.data', name) : join(dataDir, name)
}
