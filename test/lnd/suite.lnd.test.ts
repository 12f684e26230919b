import { afterAll, beforeAll } from 'vitest'
import { describeOnEmbedded } from '../databases/databases'
import { describeLightningNode } from '../lightning/lightning-node-suite'
import { makeRealWorld, type RealWorld } from './world'

describeOnEmbedded('LND itself', (db) => {
  let world: RealWorld
  beforeAll(async () => {
    world = await makeRealWorld(db())
  })
  afterAll(() => world?.stop())
  describeLightningNode('keeps the rules', async () => world)
})
