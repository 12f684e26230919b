import type { Scale } from './cells'
import type { Engine } from './engines'
import type { RowResult } from './report'
import type { Side } from './side'

export async function besideLnbits(_side: Side, _engine: Engine, _scale: Scale): Promise<RowResult[]> {
  return Promise.resolve([])
}
