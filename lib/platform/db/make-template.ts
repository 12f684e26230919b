import { openDatabase } from './open-database'
import { keptFolder, templateName } from './template'

/** Makes the template that the first start of an embedded database copies, unless it is there. Returns its data folder. */
export function makeTemplate(): Promise<string> {
  return keptFolder(templateName(), async (dataDir) => {
    await (await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })).close()
  })
}
