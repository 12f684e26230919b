import { join } from 'node:path'

/** What stands beside the VASP keeps it next to the first instance's folder, and inside any other's, so that two demos share none. */
export function folderOf(name: string, dataDir: string): string {
  return dataDir === join('.data', 'northbank') ? join('.data', name) : join(dataDir, name)
}
